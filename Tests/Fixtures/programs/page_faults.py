"""Prints why `page.html` is not well-formed, and what it loads or runs."""

import html.parser, sys
VOID = {"meta", "br", "hr", "img", "input", "link"}
class Check(html.parser.HTMLParser):
    stack, faults, ids = [], [], []
    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(set(names)) < len(names): self.faults.append(f"{self.getpos()}: attributes twice in {tag}")
        self.ids += [value for name, value in attributes if name == "id"]
        self.faults += [f"{tag} {name}" for name in names if name.startswith("on") or name in ("src", "action")]
        if tag in ("script", "img", "iframe", "object", "link", "form", "i"): self.faults.append(tag)
        if tag not in VOID: self.stack.append(tag)
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag: self.faults.append(f"{self.getpos()}: </{tag}>")
check = Check()
check.feed(open("page.html", encoding="utf-8").read())
check.close()
if len(set(check.ids)) < len(check.ids): check.faults.append("an id twice")
print(check.faults + check.stack)
