"use strict";
// The tokens of the page as a table that can be sorted, filtered and searched. Only the rows in sight are elements.
(() => {
  const { columns, rows } = JSON.parse(document.getElementById("token-data").textContent);
  const height = 34, spare = 12;
  const state = { column: -1, down: true, words: [], filter: "", shown: rows, open: -1 };
  const index = name => columns.findIndex(column => column.name === name);
  const texts = rows.map(() => null);
  const order = new Map(rows.map((row, number) => [row, number]));
  const filters = [
    ["", "all tokens", () => true],
    ["dead", "invalidated", row => row[index("Invalidated")] !== ""],
    ["live", "not invalidated", row => row[index("Invalidated")] === ""],
    ["after", "sent to after their 410", row => row[index("After 410")] > 0],
    ["doubtful", "with doubtful records", row => row[index("Doubtful")] > 0],
  ];

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const search = element("input", { type: "search", placeholder: "token, topic, input …", "aria-label": "Search" });
  const choice = element("select", { "aria-label": "Filter" });
  for (const [value, label] of filters) choice.append(element("option", { value }, label));
  const count = element("output", { class: "found" });
  const heads = columns.map((column, number) => {
    const button = element("button", { type: "button" }, column.name);
    button.addEventListener("click", () => sort(number));
    return element("span", { role: "columnheader" }, button);
  });
  const head = element("div", { role: "row", class: "line head" }, ...heads);
  const body = element("div", { role: "rowgroup", class: "lines" });
  const view = element("div", { class: "view", tabindex: "0" }, head, body);
  const table = element("div", { role: "table", "aria-label": "Tokens" }, view);
  const detail = element("dl", { class: "options" });

  function textOf(row) {
    const number = order.get(row);
    return texts[number] ??= row.join("\n").toLowerCase();
  }

  function choose() {
    const fits = filters.find(filter => filter[0] === state.filter)[2];
    state.shown = rows.filter(row => fits(row) && state.words.every(word => textOf(row).includes(word)));
    if (state.column >= 0) {
      const at = state.column, sign = state.down ? -1 : 1;
      state.shown.sort((left, right) => {
        const [one, other] = [left[at], right[at]];
        // What is missing comes last in both directions.
        if (one === other) return order.get(left) - order.get(right);
        if (one === "" || other === "") return one === "" ? 1 : -1;
        return one < other ? -sign : sign;
      });
    }
    count.value = `${state.shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} tokens`;
    body.style.height = `${state.shown.length * height}px`;
    view.scrollTop = 0;
    draw();
  }

  function sort(number) {
    state.down = state.column === number ? !state.down : columns[number].isNumber;
    state.column = number;
    heads.forEach((cell, at) => {
      if (at === number) cell.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    choose();
  }

  function line(row, number) {
    const cells = row.map((value, at) =>
      element("span", { role: "cell", class: columns[at].isNumber ? "number" : "text", title: value }, String(value)));
    const made = element("div", { role: "row", class: "line" }, ...cells);
    made.style.top = `${number * height}px`;
    made.addEventListener("click", () => show(row));
    return made;
  }

  // The whole of a row, which may be cut in the table.
  function show(row) {
    detail.replaceChildren(...row.map((value, at) =>
      element("div", {}, element("dt", {}, columns[at].name), element("dd", {}, value === "" ? "–" : String(value)))));
  }

  function draw() {
    const first = Math.max(0, Math.floor(view.scrollTop / height) - spare);
    const last = first + Math.ceil(view.clientHeight / height) + 2 * spare;
    body.replaceChildren(...state.shown.slice(first, last).map((row, at) => line(row, first + at)));
  }

  search.addEventListener("input", () => {
    state.words = search.value.toLowerCase().split(/\s+/).filter(word => word);
    choose();
  });
  choice.addEventListener("change", () => {
    state.filter = choice.value;
    choose();
  });
  let waits = false;
  view.addEventListener("scroll", () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      draw();
    });
  });
  addEventListener("resize", draw);

  document.getElementById("browser").append(element("div", { class: "controls" }, search, choice, count), table, detail);
  choose();
})();
