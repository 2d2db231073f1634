// Clients KIND URL: a client of Java publishes twice to the topic, polls behind each, and prints its version.
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

public class Clients {
    static final String BODY = "x".repeat(100);
    static final String[] SINCE = {"1795251600000001", "1795251600000002"};

    static String httpClient(String url, HttpClient client) throws Exception {
        for (String since : SINCE) {
            client.send(
                HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.ofString(BODY))
                    .header("Content-Type", "text/plain").build(),
                BodyHandlers.ofString());
            client.send(HttpRequest.newBuilder(URI.create(url + "?since=" + since)).build(), BodyHandlers.ofString());
        }
        return "HttpClient of " + client.version();
    }

    static String urlConnection(String url) throws Exception {
        for (String since : SINCE) {
            HttpURLConnection post = (HttpURLConnection) new URL(url).openConnection();
            post.setRequestMethod("POST");
            post.setDoOutput(true);
            post.setRequestProperty("Content-Type", "text/plain");
            try (OutputStream out = post.getOutputStream()) {
                out.write(BODY.getBytes(StandardCharsets.UTF_8));
            }
            post.getInputStream().readAllBytes();
            new URL(url + "?since=" + since).openStream().readAllBytes();
        }
        return "HttpURLConnection";
    }

    public static void main(String[] arguments) throws Exception {
        String url = arguments[1];
        String client = switch (arguments[0]) {
            case "http_client" -> httpClient(url, HttpClient.newHttpClient());
            case "http_client_1" ->
                httpClient(url, HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
            case "url_connection" -> urlConnection(url);
            default -> throw new IllegalArgumentException(arguments[0]);
        };
        System.out.println(client + ", Java " + System.getProperty("java.version"));
        System.exit(0);
    }
}
