import java.io.FileInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.KeyStore;
import java.security.Security;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** A server and a client of an old version and suite: the client connects through a relay, and the server sends standard input,
 * in writes of the given sizes, used in turn. */
public class TLSFlow {
  public static void main(String[] arguments) throws Exception {
    int relay = Integer.parseInt(arguments[0]);
    String version = arguments[1], suite = arguments[2], store = arguments[3];
    String[] sizes = arguments[4].split(",");
    Security.setProperty("jdk.tls.disabledAlgorithms", "");
    Security.setProperty("jdk.certpath.disabledAlgorithms", "");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(new FileInputStream(store), "secret".toCharArray());
    KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
    managers.init(keys, "secret".toCharArray());
    X509TrustManager all = new X509TrustManager() {
      public void checkClientTrusted(X509Certificate[] chain, String type) {}
      public void checkServerTrusted(X509Certificate[] chain, String type) {}
      public X509Certificate[] getAcceptedIssuers() { return new X509Certificate[0]; }
    };
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), new TrustManager[] {all}, null);
    SSLServerSocket listener = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0);
    System.out.println(listener.getLocalPort());
    System.out.flush();
    byte[] dump = System.in.readAllBytes();
    Thread client = new Thread(() -> {
      try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", relay)) {
        socket.setEnabledProtocols(version.equals("SSLv3") && suite.endsWith("v2")
          ? new String[] {"SSLv2Hello", "SSLv3"} : new String[] {version});
        socket.setEnabledCipherSuites(new String[] {suite.replace("-v2", "")});
        socket.getOutputStream().write("hello\n".getBytes());
        socket.getInputStream().readAllBytes();
      } catch (Exception problem) {
        problem.printStackTrace();
      }
    });
    client.start();
    try (SSLSocket socket = (SSLSocket) listener.accept()) {
      socket.setEnabledProtocols(version.equals("SSLv3") ? new String[] {"SSLv2Hello", "SSLv3"} : new String[] {version});
      socket.setEnabledCipherSuites(new String[] {suite.replace("-v2", "")});
      InputStream input = socket.getInputStream();
      while (input.read() != '\n') {}
      OutputStream output = socket.getOutputStream();
      int start = 0;
      for (int turn = 0; start < dump.length; turn++) {
        int size = Math.min(Integer.parseInt(sizes[turn % sizes.length]), dump.length - start);
        output.write(dump, start, size);
        output.flush();
        start += size;
      }
    }
    client.join();
  }
}
