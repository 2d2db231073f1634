// OkHttp URL: OkHttp publishes twice to the topic, polls behind each, and prints its version.
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.internal.Version;

public class OkHttp {
    static void read(OkHttpClient client, Request request) throws Exception {
        client.newCall(request).execute().body().string();
    }

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        OkHttpClient client = new OkHttpClient();
        RequestBody body = RequestBody.create(MediaType.get("text/plain"), "x".repeat(100).getBytes());
        for (String since : new String[] {"1795251600000001", "1795251600000002"}) {
            read(client, new Request.Builder().url(url).post(body).build());
            read(client, new Request.Builder().url(url + "?since=" + since).build());
        }
        System.out.println(Version.userAgent().replace("okhttp/", "OkHttp ") + ", Java " + System.getProperty("java.version"));
        System.exit(0);
    }
}
