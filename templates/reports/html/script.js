"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const one = (selector, root = document) => root.querySelector(selector);
  const make = (name, text, className) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const signs = { x: "✗", k: "!", p: "✓", d: "?", u: "–", n: "·" };
  const words = {
    x: "unexpected", k: "expected failure", p: "as required", d: "disputed text", u: "not supported", n: "no case",
  };
  const grouped = (number) => number.toLocaleString("en-US");

  // Storage may be forbidden for files: then the choice lasts as long as the page.
  const remembered = {
    get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
    set: (theme) => { try { localStorage.setItem("theme", theme); } catch { /* not remembered */ } },
  };
  const themes = ["system", "light", "dark"];
  const themeSwitch = one("[data-theme-switch]");
  const setTheme = (theme) => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    one("span", themeSwitch).textContent = theme;
    themeSwitch.setAttribute("aria-label", "Theme: " + theme);
  };
  let theme = themes.includes(remembered.get()) ? remembered.get() : "system";
  setTheme(theme);
  themeSwitch.hidden = false;
  themeSwitch.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    setTheme(theme);
    remembered.set(theme);
  });

  for (const button of all("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = one("code", button.parentElement);
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
    });
  }

  const search = one("[data-search]");
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && search && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && event.target === search && search.value) {
      search.value = "";
      search.dispatchEvent(new Event("input"));
    }
  });
  const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  // The choice stands in the address, so that a filtered page can be sent to somebody.
  const address = {
    read: () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : ""),
    write: (choice) => {
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(choice)) if (value) parameters.set(name, value);
      const text = parameters.toString();
      if (!text && !location.hash.includes("=")) return;
      history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
    },
  };

  const matrix = one("[data-matrix]");
  if (matrix) {
    const tools = one("[data-tools]");
    const dialect = one("[data-dialect]", tools);
    const show = one("[data-show]", tools);
    const count = one("[data-count]", tools);
    const fold = one("[data-fold]", tools);
    tools.hidden = false;
    const parse = (cell) => (cell.dataset.d || "").split(",").map((part) => [part[0], Number(part.slice(1))]);
    const worst = "xkpdun";
    const row = (element) => {
      const link = one("th a", element);
      return {
        element,
        text: link ? (link.textContent + " " + link.title).toLowerCase() : "",
        cells: all("td[data-d]", element).map((cell) => ({ cell, parts: parse(cell), all: cell.className })),
        disagree: element.hasAttribute("data-disagree"),
        disputed: element.hasAttribute("data-disputed"),
      };
    };
    const families = all("[data-family]").map((body) => {
      const button = one("[data-toggle]", body);
      const family = {
        head: row(one(".fam", body)), button, open: false, rows: all("[data-rule]", body).map(row),
      };
      button.disabled = false;
      button.addEventListener("click", () => {
        family.open = button.getAttribute("aria-expanded") !== "true";
        apply();
      });
      return family;
    });
    const plain = families.length ? [] : all("[data-rule]", matrix).map(row);
    const stateOf = (cell, chosen) => {
      if (chosen === "") {
        return cell.parts.reduce((a, b) => (worst.indexOf(b[0]) < worst.indexOf(a[0]) ? b : a))[0];
      }
      return cell.parts[Number(chosen)][0];
    };
    const paint = (cells, chosen) => {
      for (const entry of cells) {
        const state = stateOf(entry, chosen);
        const number = entry.parts
          .filter((part, index) => part[0] === state && (chosen === "" || index === Number(chosen)))
          .reduce((sum, part) => sum + part[1], 0);
        entry.cell.className = state + (entry.all.includes("sum") ? " sum" : "");
        one(".s", entry.cell).textContent = signs[state];
        one(".vh", entry.cell).textContent = words[state];
        let shown = one(".num", entry.cell);
        const text = state === "u" || state === "n" ? "" : grouped(number);
        if (!shown && text) {
          shown = make("span", "", "num");
          one(".vh", entry.cell).after(" ", shown);
        }
        if (shown) shown.textContent = text;
      }
    };
    const disagreeIn = (cells, chosen) => {
      const states = cells.map((cell) => stateOf(cell, chosen));
      return states.includes("p") && (states.includes("x") || states.includes("k"));
    };
    const fits = (row, wanted, wantedWords, chosen) => {
      if (!wantedWords.every((word) => row.text.includes(word))) return false;
      if (wanted === "") return true;
      if (wanted === "=") return chosen === "" ? row.disagree : disagreeIn(row.cells, chosen);
      // A rule is disputed in some of its cases: the others give its cell the colour.
      if (wanted === "d" && chosen === "") return row.disputed;
      const inDialect = (part, index) => (chosen === "" || index === Number(chosen)) && wanted.includes(part[0]);
      return row.cells.some((cell) => cell.parts.some(inDialect));
    };
    let painted = "";
    const apply = () => {
      const chosen = dialect ? dialect.value : "";
      const wanted = show.value;
      const wantedWords = wordsOf(search.value);
      const filtered = wanted !== "" || wantedWords.length > 0;
      if (chosen !== painted) {
        for (const family of families) for (const entry of [family.head, ...family.rows]) paint(entry.cells, chosen);
        painted = chosen;
      }
      let shown = 0;
      let total = 0;
      for (const family of families) {
        let inFamily = 0;
        for (const entry of family.rows) {
          const fit = fits(entry, wanted, wantedWords, chosen);
          if (fit) inFamily += 1;
          entry.element.hidden = !fit || !(family.open || filtered);
        }
        family.head.element.hidden = filtered && inFamily === 0;
        family.button.setAttribute("aria-expanded", String(family.open || filtered));
        shown += inFamily;
        total += family.rows.length;
      }
      for (const entry of plain) {
        const fit = fits(entry, wanted, wantedWords, chosen);
        entry.element.hidden = !fit;
        shown += fit ? 1 : 0;
        total += 1;
      }
      count.textContent = filtered ? grouped(shown) + " of " + grouped(total) + " rules" : grouped(total) + " rules";
      if (fold) {
        const open = families.length > 0 && families.every((family) => family.open);
        fold.setAttribute("aria-pressed", String(open));
        fold.textContent = open ? "Close all families" : "Open all families";
      }
      address.write({ q: search.value, dialect: dialect ? dialect.value : "", show: show.value });
    };
    if (fold) {
      fold.addEventListener("click", () => {
        const open = !families.every((family) => family.open);
        for (const family of families) family.open = open;
        apply();
      });
    }
    const start = address.read();
    search.value = start.get("q") || "";
    if (dialect && start.get("dialect")) dialect.value = start.get("dialect");
    if (start.get("show")) show.value = start.get("show");
    search.addEventListener("input", apply);
    if (dialect) dialect.addEventListener("change", apply);
    show.addEventListener("change", apply);
    tools.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }

  const casesData = one("[data-cases-data]");
  if (casesData) {
    const data = JSON.parse(casesData.textContent);
    const tools = one("[data-cases]");
    const place = one("[data-cases-table]");
    const more = one("[data-more]");
    const dialect = one("[data-dialect]", tools);
    const show = one("[data-show]", tools);
    const count = one("[data-count]", tools);
    tools.hidden = false;
    data.dialects.forEach((name, index) => {
      const option = make("option", name);
      option.value = String(index);
      dialect.append(option);
    });
    const findings = {
      p: ["p", "✓", "as required"], f: ["x", "✗", "fail"], t: ["x", "⧗", "timeout"], c: ["x", "⚡", "crash"],
      i: ["x", "~", "inconclusive"], y: ["x", "≈", "flaky"], d: ["d", "?", "disputed"], u: ["u", "–", "not supported"], ".": ["n", "·", "no result"],
    };
    const expectations = { a: "accept", r: "reject", d: "disputed", ".": "" };
    const cases = [];
    const hashed = new Set(data.hashed);
    data.rows.forEach(([point, expected, ...devices], row) => {
      data.dialects.forEach((name, index) => {
        if (expected[index] === "." && devices.every((states) => states[index] === ".")) return;
        const id = name === "other" ? data.rule + "/" + point : data.rule + "/" + name + "/" + point;
        cases.push({ id, dialect: index, expected: expected[index], states: devices.map((states) => states[index]), isHashed: hashed.has(row) });
      });
    });
    cases.sort((a, b) => a.dialect - b.dialect);
    const deviates = (state) => "ftciy".includes(state.toLowerCase());
    const fits = (entry, wanted, wantedWords, chosen) => {
      if (chosen !== "" && entry.dialect !== Number(chosen)) return false;
      if (wanted === "x" && !entry.states.some(deviates)) return false;
      if (wanted === "=") {
        const ok = entry.states.some((state) => state === "p");
        if (!ok || !entry.states.some(deviates)) return false;
      }
      if ("ard".includes(wanted) && wanted && entry.expected !== wanted) return false;
      const text = entry.id.toLowerCase();
      return wantedWords.every((word) => text.includes(word));
    };
    const PAGE = 100;
    let limit = PAGE;
    let body;
    const head = () => {
      const table = make("table", undefined, "matrix wide cases");
      const line = make("tr");
      for (const title of ["case", "expected", ...data.devices]) {
        const cell = make("th", title);
        cell.scope = "col";
        line.append(cell);
      }
      const header = make("thead");
      header.append(line);
      body = make("tbody");
      table.append(header, body);
      place.replaceChildren(table);
    };
    // Where it can be read off the id.
    const anchor = (entry) => (entry.isHashed ? "" : "#" + entry.id.slice(data.rule.length + 1));
    const line = (entry) => {
      const element = make("tr");
      const name = make("th");
      name.scope = "row";
      name.append(make("code", entry.id.slice(data.rule.length + 1)));
      element.append(name, make("td", expectations[entry.expected] || ""));
      entry.states.forEach((state, device) => {
        const [colour, sign, word] = findings[state.toLowerCase()] || findings["."];
        const known = state !== state.toLowerCase();
        const cell = make("td", undefined, known ? "k" : colour);
        const shown = make("span", sign, "s");
        shown.setAttribute("aria-hidden", "true");
        cell.title = known ? word + ", expected" : word;
        const page = deviates(state) && data.deviations[device];
        const inside = page ? make("a") : cell;
        if (page) {
          inside.href = casesData.dataset.root + page + anchor(entry);
          cell.append(inside);
        }
        inside.append(shown, make("span", cell.title, "vh"));
        element.append(cell);
      });
      return element;
    };
    const apply = () => {
      const wantedWords = wordsOf(search.value);
      const fitting = cases.filter((entry) => fits(entry, show.value, wantedWords, dialect.value));
      body.replaceChildren(...fitting.slice(0, limit).map(line));
      count.textContent = grouped(fitting.length) + " of " + grouped(cases.length) + " cases"
        + (data.leftOut ? "; " + grouped(data.leftOut) + " more points are left out of this page" : "");
      more.hidden = fitting.length <= limit;
      more.textContent = "Show more (" + grouped(fitting.length - Math.min(limit, fitting.length)) + " left)";
      address.write({ q: search.value, dialect: dialect.value, show: show.value });
    };
    const again = () => { limit = PAGE; apply(); };
    head();
    const start = address.read();
    search.value = start.get("q") || "";
    if (start.get("dialect")) dialect.value = start.get("dialect");
    if (start.get("show")) show.value = start.get("show");
    search.addEventListener("input", again);
    dialect.addEventListener("change", again);
    show.addEventListener("change", again);
    more.addEventListener("click", () => { limit += PAGE * 5; apply(); });
    tools.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }
})();
