"""A page in headless Chromium, led through a pipe by the DevTools protocol: no library and no port is needed."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/{0}.app/Contents/MacOS/{0}"


def program():
    """The path of a Chromium: CHROMIUM where that is set, else the first that is there."""
    given = os.environ.get("CHROMIUM")
    candidates = [given] if given else [*PROGRAMS, MAC.format("Chromium"), MAC.format("Google Chrome")]
    found = next((path for path in map(shutil.which, candidates) if path), None)
    return found or sys.exit("no Chromium is there: scripts/setup installs it, and CHROMIUM names another")


class Chromium:
    """A running Chromium with one page."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()
        arguments = [
            program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
            f"--user-data-dir={self.home.name}", "--remote-debugging-pipe", "about:blank"]
        # The protocol is read from descriptor 3 and written to 4.
        shell = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "chromium", *arguments], pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home.name})
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.events, self.session = b"", 0, [], None
        page = next(target for target in self.send("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Log", "Runtime", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.home.cleanup()

    def read(self):
        """The next message."""
        while b"\0" not in self.rest:
            chunk = os.read(self.answers, 1 << 16)
            if not chunk:
                raise RuntimeError("Chromium ended before its time")
            self.rest += chunk
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        """The result of a command; events that come before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def show(self, path, width, height=900, scheme="light", media=""):
        """Loads the file at this width in CSS pixels; returns what the page complained of or asked the network for."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.send("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        address = path.resolve().as_uri()
        self.send("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())
        return list(self.complaints(address))

    def complaints(self, address):
        for event in self.events:
            found = event.get("params", {})
            if event.get("method") == "Log.entryAdded":
                yield f"{found['entry']['level']}: {found['entry']['text']}"
            elif event.get("method") == "Runtime.exceptionThrown":
                yield f"exception: {found['exceptionDetails']['text']}"
            elif event.get("method") == "Network.requestWillBeSent" and found["request"]["url"] != address:
                yield f"asks for {found['request']['url'][:80]}"

    def evaluate(self, expression, waits=False):
        """What a JavaScript expression comes to in the page; of a promise, once it is kept."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=waits)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return answer["result"].get("value")

    def thread_time(self):
        """Seconds of a processor that the page's thread took, once Performance is enabled in this time."""
        return {metric["name"]: metric["value"] for metric in self.send("Performance.getMetrics")["metrics"]}["TaskDuration"]

    def picture(self):
        """What a window shows of the page, as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])

    def paper(self):
        """The page as it is printed, as PDF."""
        return base64.b64decode(self.send("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"])


if __name__ == "__main__":
    print(program())
