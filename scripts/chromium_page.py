"""Pages in headless Chromium, led by Playwright."""

import os
import shutil
import sys

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/{0}.app/Contents/MacOS/{0}"


def program():
    """The path of a Chromium: CHROMIUM where that is set, else the first that is there."""
    given = os.environ.get("CHROMIUM")
    candidates = [given] if given else [*PROGRAMS, MAC.format("Chromium"), MAC.format("Google Chrome")]
    found = next((path for path in map(shutil.which, candidates) if path), None)
    return found or sys.exit("no Chromium is there: scripts/setup installs it, and CHROMIUM names another")


class Chromium:
    """A running Chromium, with a page for each width; `page` is the one that was shown last."""

    def __enter__(self):
        from playwright.sync_api import sync_playwright  # scripts/setup asks for the program before it is there

        self.playwright, self.pages, self.said = sync_playwright().start(), {}, []
        self.browser = self.playwright.chromium.launch(executable_path=program(), args=["--no-sandbox", "--hide-scrollbars"])
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.playwright.stop()

    def page_of(self, width):
        if width not in self.pages:
            self.pages[width] = self.browser.new_page(viewport={"width": width, "height": 900}, is_mobile=width < 600)
            self.pages[width].on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
            self.pages[width].on("pageerror", lambda error: self.said.append(f"exception: {error}"))
            self.pages[width].on("request", lambda request: self.said.append(f"asks for {request.url[:80]}"))
        return self.pages[width]

    def show(self, path, width, scheme="light", media="screen"):
        """Loads the file at this width in CSS pixels; returns what the page complained of or asked the network for."""
        self.page, address = self.page_of(width), path.resolve().as_uri()
        self.page.emulate_media(media=media, color_scheme=scheme)
        self.said.clear()
        self.page.goto(address)
        return [complaint for complaint in self.said if complaint != f"asks for {address[:80]}"]

    def show_timed(self, path, width):
        """What `show` returns, and the seconds of a processor that the thread of the page took for it."""
        session = self.page_of(width).context.new_cdp_session(self.page_of(width))
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        complaints = self.show(path, width)
        metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
        session.detach()  # while it is there, no page is that of paper
        return complaints, metrics["TaskDuration"]

    def paper(self):
        """The page as it is printed, as PDF."""
        return self.page.pdf(prefer_css_page_size=True)


if __name__ == "__main__":
    print(program())
