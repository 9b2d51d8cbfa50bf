// A provider with Java's HttpClient: sends the pushes of a plan (push_plan.py), some one after the other, the rest together.
// It cannot begin HTTP/2 in cleartext.
// usage: java PushClient.java URL PLAN

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

public class PushClient {
  static class TrustAll extends X509ExtendedTrustManager {
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}
    public void checkClientTrusted(X509Certificate[] chain, String type) {}
    public void checkServerTrusted(X509Certificate[] chain, String type) {}
    public X509Certificate[] getAcceptedIssuers() { return new X509Certificate[0]; }
  }

  static HttpRequest request(String url, String line) {
    String[] parts = line.split("\t", -1);
    String[] where = parts[0].split(" ");
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url + where[1]));
    for (String pair : parts[1].split("\\|")) {
      String[] header = pair.split(": ", 2);
      builder.header(header[0], header[1]);
    }
    boolean isEmpty = parts[2].isEmpty();
    return builder.method(where[0], isEmpty ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(parts[2])).build();
  }

  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustAll()}, null);
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).sslContext(context).build();
    HttpResponse.BodyHandler<String> text = HttpResponse.BodyHandlers.ofString();
    List<String> lines = Files.readAllLines(Path.of(arguments[1]));
    int half = lines.size() / 2;
    for (String line : lines.subList(0, half)) {
      client.send(request(url, line), text);
    }
    List<CompletableFuture<HttpResponse<String>>> together = new ArrayList<>();
    for (String line : lines.subList(half, lines.size())) {
      together.add(client.sendAsync(request(url, line), text));
    }
    for (CompletableFuture<HttpResponse<String>> future : together) {
      future.join();
    }
    System.exit(0);
  }
}
