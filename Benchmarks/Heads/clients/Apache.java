// Apache URL: Apache's HttpClient publishes twice to the topic, polls behind each, and prints its version.
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.util.VersionInfo;

public class Apache {
    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        try (CloseableHttpClient client = HttpClients.createDefault()) {
            for (String since : new String[] {"1795251600000001", "1795251600000002"}) {
                HttpPost post = new HttpPost(url);
                post.setEntity(new StringEntity("x".repeat(100)));
                EntityUtils.consume(client.execute(post).getEntity());
                EntityUtils.consume(client.execute(new HttpGet(url + "?since=" + since)).getEntity());
            }
        }
        VersionInfo version = VersionInfo.loadVersionInfo("org.apache.hc.client5", Apache.class.getClassLoader());
        System.out.println(
            "Apache HttpClient " + version.getRelease() + ", Java " + System.getProperty("java.version"));
    }
}
