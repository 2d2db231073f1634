%% clients URL: Erlang's client publishes twice to the topic, polls behind each, and prints its version.
-module(clients).
-export([main/1]).

main([Url]) ->
    {ok, _} = application:ensure_all_started(inets),
    Body = lists:duplicate(100, $x),
    lists:foreach(
        fun(Since) ->
            {ok, _} = httpc:request(post, {Url, [], "text/plain", Body}, [], []),
            {ok, _} = httpc:request(get, {Url ++ "?since=" ++ Since, []}, [], [])
        end,
        ["1795251600000001", "1795251600000002"]),
    io:format("httpc, Erlang/OTP ~s~n", [erlang:system_info(otp_release)]),
    halt(0).
