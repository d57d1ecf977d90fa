//! The report as users see it: every page opened in a real browser.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

mod axe;
mod devtools;
mod hostile;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use devtools::{Browser, chromium};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

fn main() {
    let trials = vec![
        // It takes longest, so it comes first: no processor waits for it at the end.
        trial("axe_finds_nothing_serious", axe::nothing_is_serious),
        trial("the_report_opens_filters_and_leads_on", leads_on),
        trial("hostile_names_and_logs_are_text", hostile_is_text),
        trial("every_size_and_theme_is_readable", is_readable),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A test that needs the browser; without it the test is ignored, which `.ci/run` does not accept.
fn trial(name: &str, test: fn(&mut Browser, &Site)) -> Trial {
    Trial::ignorable_test(name, move || {
        let Some(program) = chromium() else {
            return Ok(Completion::ignored_with("no chromium here: apt-get install chromium"));
        };
        if axe::script().is_none() {
            return Ok(Completion::ignored_with("no axe-core here: run .ci/axe"));
        }
        let result = std::panic::catch_unwind(move || {
            let site = Site::new();
            test(&mut Browser::start(&program), &site);
        });
        result.map(|()| Completion::Completed).map_err(|_| Failed::from("see the panic above"))
    })
}

/// A report on a real run of some rules, on the same run with damaged results, and on a hostile device.
struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (good, worse, evil) = (path("good"), path("worse"), path("evil"));
        runner(&["--rule", "conversion/implicit", "--rule", "qualifier", "--results", &good]);
        worsen(Path::new(&good), Path::new(&worse));
        hostile::write(Path::new(&path("evil-before")), "<b>1</b>");
        hostile::write(Path::new(&evil), "<b>2</b>");
        let history = path("history.sqlite");
        runner(&["history", "add", &path("evil-before"), "--history", &history]);
        runner(&["history", "add", &good, &evil, "--history", &history]);
        runner(&["report", &good, &worse, &evil, "--into", &path("site"), "--history", &history]);
        Self { folder }
    }

    fn page(&self, name: &str) -> PathBuf {
        self.folder.path().join("site").join(name)
    }

    /// Every page, relative to the report.
    fn pages(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.page("report.json")).unwrap();
        let contents: serde_json::Value = serde_json::from_str(&text).unwrap();
        let pages = contents["pages"].as_array().unwrap().iter();
        pages.map(|page| page.as_str().unwrap().to_owned()).collect()
    }
}

fn runner(arguments: &[&str]) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_address-spaces")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Another device that accepts every invalid program of one rule.
fn worsen(from: &Path, into: &Path) {
    std::fs::create_dir_all(into).unwrap();
    let results = std::fs::read_to_string(from.join("results.jsonl")).unwrap();
    let lines = results.lines().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["record"] == "header" {
            line["device"] = "worse".into();
        }
        let is_hit = line["id"].as_str().is_some_and(|id| id.starts_with("conversion/implicit/"));
        if is_hit && line["expectation"] == "reject" {
            line["outcome"] = serde_json::json!({ "kind": "accepted", "phase": "build" });
            line["finding"] = serde_json::json!({ "kind": "fail", "reason": "accepts-invalid" });
        }
        line.to_string()
    });
    let lines: Vec<String> = lines.collect();
    std::fs::write(into.join("results.jsonl"), lines.join("\n") + "\n").unwrap();
}

/// How many rules, and families, the matrix shows.
const SHOWN_RULES: &str =
    "document.querySelectorAll('[data-matrix] [data-rule]:not([hidden])').length";

fn leads_on(browser: &mut Browser, site: &Site) {
    browser.open(&site.page("index.html"), "");
    assert_eq!(browser.evaluate(SHOWN_RULES), 0, "families begin closed");
    browser.evaluate("document.querySelector('[data-fold]').click()");
    let all = browser.evaluate(SHOWN_RULES).as_u64().unwrap();
    let families = "Array.from(document.querySelectorAll('[data-toggle]')).map((e) => e.firstChild.textContent.trim())";
    // What was not selected takes no room.
    assert_eq!(
        browser.evaluate(families),
        serde_json::json!(["conversion", "qualifier", "other cases"])
    );
    assert!(all > 20, "{all} rules");

    // Only the keyboard: `/`, then typing.
    browser.evaluate("document.activeElement.blur()");
    browser.press("/", "/");
    for letter in "implicit disjoint".chars() {
        browser.press(&letter.to_string(), &letter.to_string());
    }
    assert_eq!(browser.evaluate("document.activeElement.value"), "implicit disjoint");
    let found = browser.evaluate("document.querySelector('[data-count]').textContent");
    let found = found.as_str().unwrap().to_owned();
    assert_eq!(browser.evaluate(SHOWN_RULES), 1, "{found}");
    assert!(found.starts_with("1 of "), "{found}");
    browser.press("Escape", "");
    assert_eq!(browser.evaluate("document.activeElement.value"), "");

    choose(browser, "data-show", "xk");
    let deviating = browser.evaluate(SHOWN_RULES).as_u64().unwrap();
    assert!((1..all).contains(&deviating), "{deviating} of {all}");
    choose(browser, "data-dialect", "2");
    let cell = "document.querySelector('[data-matrix] td.x .num').textContent";
    let in_one = browser.evaluate(cell);
    choose(browser, "data-dialect", "");
    assert_ne!(browser.evaluate(cell), in_one, "a dialect has fewer findings than all");

    // Rules with a disputed case among others.
    let disputed = "document.querySelectorAll('[data-rule][data-disputed]').length";
    let disputed = browser.evaluate(disputed);
    assert!((1..all).contains(&disputed.as_u64().unwrap()), "{disputed}");
    browser.open(&site.page("index.html"), "#show=d");
    assert_eq!(browser.evaluate(SHOWN_RULES), disputed);

    // A filtered page can be sent to somebody.
    browser.open(&site.page("index.html"), "#q=implicit+disjoint");
    assert_eq!(browser.evaluate(SHOWN_RULES), 1);

    browser.evaluate("document.querySelector('[data-rule]:not([hidden]) a').click()");
    browser.wait_for("Page.loadEventFired");
    assert_eq!(browser.evaluate("document.querySelector('h1').textContent"), "conversion/implicit");
    let guilty = browser.evaluate("document.querySelectorAll('.ln.guilty').length");
    assert!(guilty.as_u64().unwrap() > 0, "the example marks its guilty line");
    let rows = "document.querySelectorAll('.cases tbody tr').length";
    assert_eq!(browser.evaluate(rows), 100);
    browser.evaluate("document.querySelector('[data-more]').click()");
    assert!(browser.evaluate(rows).as_u64().unwrap() > 100);
    browser.evaluate(
        "{ const s = document.querySelector('[data-search]'); s.value = 'cl12 to=local form=return';
           s.dispatchEvent(new Event('input')); }",
    );
    let ids = browser.evaluate(
        "Array.from(document.querySelectorAll('.cases tbody th')).map((e) => e.textContent)",
    );
    let ids: Vec<&str> = ids.as_array().unwrap().iter().filter_map(|id| id.as_str()).collect();
    assert!(!ids.is_empty());
    assert!(ids.iter().all(|id| id.contains("cl12/") && id.contains("to=local")), "{ids:?}");

    // From the matrix, and from the table of all cases, to a case by its own address, without a script from there on.
    browser.open(&site.page("index.html"), "");
    browser.evaluate("document.querySelector('[data-rule] td.x a').click()");
    browser.wait_for("Page.loadEventFired");
    assert_eq!(browser.evaluate("document.querySelector('h1').textContent"), "conversion/implicit");
    browser.open(&site.page("rules/conversion/implicit.html"), "#show=x&q=cl12+to%3Dlocal");
    let id = "document.querySelector('.cases tbody th').textContent";
    let id = browser.evaluate(id).as_str().unwrap().to_owned();
    browser.evaluate("document.querySelector('.cases tbody td.x a').click()");
    browser.wait_for("Page.loadEventFired");
    let shown = "Array.from(document.querySelectorAll('.again')).filter((e) => e.checkVisibility()).map((e) => e.textContent.trim())";
    let shown = browser.evaluate(shown);
    let [command] = shown.as_array().unwrap().as_slice() else { panic!("{shown}") };
    let wanted = format!("cargo run -p runner -- show conversion/implicit/{id}");
    assert!(command.as_str().unwrap().starts_with(&wanted), "{command} for {id}");

    // From the front page to an unexpected finding.
    browser.open(&site.page("index.html"), "");
    browser.evaluate("document.querySelector('.first .go').click()");
    browser.wait_for("Page.loadEventFired");
    assert!(
        browser
            .evaluate("document.querySelector('.cmd code').textContent")
            .as_str()
            .unwrap()
            .contains("--exact")
    );
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

fn choose(browser: &mut Browser, name: &str, value: &str) {
    browser.evaluate(&format!(
        "{{ const s = document.querySelector('select[{name}]'); s.value = '{value}';
            s.dispatchEvent(new Event('change')); }}"
    ));
}

fn hostile_is_text(browser: &mut Browser, site: &Site) {
    let pages = site.pages();
    assert!(pages.iter().any(|page| page.starts_with("findings/")), "{pages:?}");
    assert!(pages.iter().any(|page| page.starts_with("rules/other/")), "{pages:?}");
    // Pages that depend only on the suite are looked at once; pages that depend on a device, everywhere.
    let touched = |page: &String| {
        !page.starts_with("rules/") || page.contains("/other/") || page.ends_with("/implicit.html")
    };
    let is_page = |file: &String| Path::new(file).extension().is_some_and(|end| end == "html");
    for page in pages.iter().filter(|file| is_page(file) && touched(file)) {
        let path = site.page(page);
        browser.open(&path, "");
        let found = browser.evaluate(
            "({ harmed: typeof window.harmed, frames: document.querySelectorAll('img, iframe, object, embed, base, form[action]').length,
                scripts: document.querySelectorAll('script:not([type])').length,
                handlers: Array.from(document.querySelectorAll('*')).filter((e) => Array.from(e.attributes).some((a) => a.name.startsWith('on') || a.name === 'style')).length,
                links: Array.from(document.links).map((l) => l.getAttribute('href')).filter((h) => !/^(#|https:\\/\\/((registry|www)\\.khronos|www\\.open-std)\\.org\\/|(\\.\\.\\/)*[a-z0-9.\\/-]+\\.html(#[A-Za-z0-9=,._:\\/-]+)?$)/.test(h)),
                footer: document.querySelectorAll('footer').length })",
        );
        assert_eq!(found["harmed"], "undefined", "{page}");
        assert_eq!(found["frames"], 0, "{page}");
        assert_eq!(found["scripts"], 1, "{page}");
        assert_eq!(found["handlers"], 0, "{page}");
        assert_eq!(found["links"], serde_json::json!([]), "{page}");
        assert_eq!(found["footer"], 1, "{page}");
        let complaints = browser.complaints();
        assert!(complaints.is_empty(), "{page}: {complaints:?}");
        for link in links(browser) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let text = std::fs::read_to_string(&target);
            let Ok(text) = text else { panic!("{page} leads to {link}, which is not there") };
            let is_there = anchor.is_empty() || text.contains(&format!(" id=\"{anchor}\""));
            assert!(is_there, "{page} leads to {link}, which is not on that page");
        }
    }
}

/// Where the page leads within the report, relative to it.
fn links(browser: &mut Browser) -> Vec<String> {
    let links = browser.evaluate(
        "Array.from(new Set(Array.from(document.links).map((l) => l.getAttribute('href'))))",
    );
    let links = links.as_array().unwrap().iter().map(|link| link.as_str().unwrap().to_owned());
    links.filter(|link| !link.starts_with("https:")).collect()
}

fn is_readable(browser: &mut Browser, site: &Site) {
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&pictures).unwrap();
    let pages = site.pages();
    let finding = pages.iter().find(|page| page.starts_with("findings/worse/")).unwrap();
    let shown = [
        ("overview", "index.html"),
        ("rule", "rules/conversion/implicit.html"),
        ("device", "devices/worse.html"),
        ("deviations", "deviations/worse/conversion/implicit.html"),
        ("finding", finding),
        ("history", "history.html"),
    ];
    for (size, width, height) in
        [("desktop", 1400, 1600), ("phone", 400, 1600), ("small-phone", 360, 1600)]
    {
        for scheme in ["light", "dark"] {
            browser.resize(width, height);
            browser.prefer(scheme);
            for (name, page) in shown {
                browser.open(&site.page(page), "");
                let wide = browser.evaluate("document.scrollingElement.scrollWidth");
                assert!(
                    wide.as_u64().unwrap() <= u64::from(width),
                    "{page} is {wide} wide at {width}"
                );
                let cut = browser.evaluate(CUT);
                assert_eq!(cut, serde_json::json!([]), "{page}, {size}");
                let faint = browser.evaluate(FAINT);
                assert_eq!(faint, serde_json::json!([]), "{page}, {size}, {scheme}");
                browser.picture(&pictures.join(format!("{name}-{size}-{scheme}.png")));
            }
        }
    }
    for (_, page) in shown {
        browser.open(&site.page(page), "");
        let nameless = nameless(browser);
        assert!(nameless.is_empty(), "{page}: {nameless:?}");
    }
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

/// Elements that a screen reader would announce without a name.
fn nameless(browser: &mut Browser) -> Vec<String> {
    let tree = browser.call("Accessibility.getFullAXTree", &serde_json::json!({}));
    let roles = [
        "button",
        "link",
        "searchbox",
        "textbox",
        "combobox",
        "image",
        "img",
        "region",
        "navigation",
        "heading",
        "columnheader",
        "rowheader",
    ];
    let nodes = tree["nodes"].as_array().unwrap().iter();
    nodes
        .filter(|node| node["ignored"] != true)
        .filter(|node| roles.contains(&node["role"]["value"].as_str().unwrap_or_default()))
        .filter(|node| node["name"]["value"].as_str().unwrap_or_default().trim().is_empty())
        .map(ToString::to_string)
        .collect()
}

/// Plain tables and charts that are wider than their place: only matrices, kernels and logs may be.
const CUT: &str = "Array.from(document.querySelectorAll('.fit, .chart, .chart svg'))
  .filter((e) => e.scrollWidth > e.clientWidth + 1)
  .map((e) => e.getAttribute('aria-label') || e.className)";

/// Texts whose contrast with what lies behind them is below what WCAG 2.1 asks for (level AA).
const FAINT: &str = "(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return Array.from(canvas.getImageData(0, 0, 1, 1).data);
  };
  const luminance = ([r, g, b]) => {
    const part = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, over) =>
      under.map((v, i) => i < 3 ? v + (over[i] - v) * over[3] / 255 : 255), [255, 255, 255, 255]);
  };
  const faint = new Set();
  const seen = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const own = Array.from(element.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility() || element.closest('.vh, script, style, option, [aria-hidden]')) continue;
    const style = getComputedStyle(element);
    const back = behind(element);
    const key = style.color + back + style.fontSize;
    if (seen.has(key)) continue;
    seen.add(key);
    const [a, b] = [luminance(rgba(style.color)), luminance(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.add(element.tagName + '.' + element.className + ' ' + element.textContent.slice(0, 30) + ' ' + ratio.toFixed(2));
  }
  return Array.from(faint);
})()";
