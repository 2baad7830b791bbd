"""The gallery's page: self-contained, complete, and working in a browser."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from reproductions.engine import pictures, runner, texts
from reproductions.engine.figure import all_figures
from reproductions.engine.reference import FOLDER as REFERENCES
from reproductions.engine.texts import LANGUAGES
from reproductions.lab import build
from reproductions.site import gallery
from reproductions.site.page import isolated
from tests.reproductions.shared import (
    BY_ID,
    FIGURES,
    OUT,
    QUICK,
    computed,
    manifest,
    one_number,
    script,
)

PAGE = (OUT / "index.html").read_text(encoding="utf-8")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)

# Runs in the page: switches to each language as a reader does, and writes down what shows.
PROBE = """
<script>
addEventListener("load", async () => {
  const images = [...document.querySelectorAll(".plate img")];
  const seen = {};
  for (const code of %s) {
    document.querySelector(`button[data-language="${code}"]`).click();
    for (const image of images) image.loading = "eager";
    await Promise.all(images.map((image) => image.complete || new Promise((done) => {
      image.onload = image.onerror = done;
    })));
    seen[code] = {
      lang: document.documentElement.lang,
      dir: document.documentElement.dir,
      title: document.title,
      heading: document.querySelector("h1").innerText,
      pressed: document.querySelector('[data-language][aria-pressed="true"]').dataset.language,
      broken: images.filter((image) => !image.naturalWidth).map((image) => image.src),
      own: images.filter((image) => image.src.endsWith(`.${code}.png`)).length,
      alts: images.filter((image) => image.alt.length > 30).length,
      wide: document.documentElement.scrollWidth > innerWidth,
    };
  }
  document.querySelector('button[data-theme="dark"]').click();
  const dark = getComputedStyle(document.body).backgroundColor;
  document.querySelector('button[data-theme="light"]').click();
  const light = getComputedStyle(document.body).backgroundColor;
  const named = (element) => (element.getAttribute("aria-label") ?? element.innerText).trim()
    || element.labels?.[0]?.innerText;
  const nameless = {};
  for (const code of %s) {
    document.querySelector(`button[data-language="${code}"]`).click();
    nameless[code] = [...document.querySelectorAll("a[href], button:not(dialog *), input, nav")]
      .filter((element) => !named(element) && !element.getAttribute("aria-labelledby"))
      .map((element) => element.outerHTML.slice(0, 100));
  }
  const search = document.querySelector(".search input");
  const shown = () => document.querySelectorAll(".index li:not([hidden])").length;
  const hits = {all: shown()};
  for (const wanted of ["20.8-class", "penguin", "\u067e\u0646\u06af\u0648\u0626\u0646", "zzz"]) {
    search.value = wanted;
    search.dispatchEvent(new Event("input"));
    hits[wanted] = shown();
  }
  document.querySelector(".plate a").click();
  const open = document.querySelector("dialog").open;
  const dialogName = document.querySelector("dialog").getAttribute("aria-label");
  const result = document.createElement("pre");
  result.id = "probe";
  result.textContent = JSON.stringify({
    images: images.length, seen, dark, light, open, nameless, hits, dialogName,
  });
  document.body.append(result);
});
</script>
"""


class Elements(HTMLParser):
    """Collects start tags."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


def plates(elements):
    """Images of the cards, without the thumbnails of the index."""
    images = [a for a in elements.all("img") if "src" in a]
    return [a for a in images if a.get("class") != "thumbnail"]


@pytest.fixture(scope="module")
def elements():
    parser = Elements()
    parser.feed(PAGE)
    return parser


def test_every_figure_has_a_card(elements):
    ids = {attributes["id"] for attributes in elements.all("article")}
    assert len(ids) == len(all_figures())


def test_nothing_comes_from_elsewhere(elements):
    addresses = [a[name] for _, a in elements.found for name in ("src", "href") if name in a]
    assert not [a for a in addresses if re.match(r"(https?:)?//", a)]
    assert "@import" not in PAGE
    assert "url(" not in PAGE


def test_every_link_leads_somewhere(elements):
    ids = {a["id"] for _, a in elements.found if "id" in a}
    for attributes in elements.all("a"):
        target = attributes["href"]
        if target.startswith("#"):
            assert target[1:] in ids
        else:
            assert (OUT / target).exists(), target


def test_images_have_size_and_alternative_text_in_every_language(elements):
    images = plates(elements)
    assert len(images) == len(all_figures())
    for attributes in images:
        assert int(attributes["width"]) > 300
        assert int(attributes["height"]) > 200
        for code in LANGUAGES:
            assert attributes[f"data-alt-{code}"]
            assert (OUT / attributes[f"data-{code}"]).is_file()


def test_the_page_works_without_its_script(elements):
    root = elements.all("html")[0]
    assert (root["lang"], root["dir"]) == ("en", "ltr")
    assert all(a["alt"] == a["data-alt-en"] for a in plates(elements))


def test_the_committed_gallery_is_the_generated_one():
    page = gallery.page(OUT, FIGURES, *runner.read_reports(OUT))
    assert (OUT / "index.html").read_text(encoding="utf-8") == page


def test_a_run_of_all_figures_begins_the_gallery_and_others_keep_it(tmp_path, monkeypatch):
    both = [BY_ID["molnar3/20.3"], BY_ID[QUICK]]
    monkeypatch.setattr(runner, "discover", lambda paper=None: (both, {}))
    monkeypatch.setattr(runner, "all_figures", lambda paper=None: both)
    part = {"fa": ("pdf",)}
    for figures, formats, has_page in (
        (both, part, False),
        (both[:1], runner.FORMATS_BY_LANGUAGE, False),
        (both, runner.FORMATS_BY_LANGUAGE, True),
        (both[:1], part, True),
    ):
        options = runner.Options(tmp_path, formats)
        outcomes = runner.run_all(figures, options, 1)
        assert runner.write_gallery(options, outcomes) is has_page
        assert (tmp_path / "index.html").exists() is has_page
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<article ") == page.count("<img src=") == 2
    assert page.count('<img class="thumbnail"') == 2
    # From a folder outside the checkout there is no way to a script.
    assert "fig20_4.py</code></dd>" in page


# What would end an attribute, begin an element, or turn the direction of what follows.
HOSTILE = "<script>alert(1)</script>\"'&amp;<b>\u202ex"


def test_no_word_or_name_becomes_markup(tmp_path, monkeypatch):
    """Ids, titles, captions, claims, names of columns, models and files are text in the page."""
    words = {"title": HOSTILE, "alt": HOSTILE, "caption": HOSTILE, "claim.k": HOSTILE}
    words["evidence.k"] = HOSTILE + "{column}"
    name = f"lofo/{HOSTILE.replace('/', '')}"
    catalogues = {code: {**texts.catalogue(code), name: words} for code in LANGUAGES}
    monkeypatch.setattr(texts, "catalogue", catalogues.__getitem__)
    figure = script(name, one_number)
    monkeypatch.setattr(type(figure), "english", lambda self: {})
    record = {
        "script": HOSTILE, "model": {"name": HOSTILE, "from": "r"}, "matches": True,
        "numbers": [f"{name}.{HOSTILE.replace('/', '')}.csv"], "comparison": {},
        "versions": {"aleplot-py": HOSTILE}, "data_sha256": {HOSTILE: HOSTILE},
        "numbers_sha256": HOSTILE,
    }  # fmt: skip
    claim = {"key": "k", "verdict": "partly", "numbers": {"column": HOSTILE}}
    (tmp_path / "lofo").mkdir()
    (tmp_path / f"{name}.png").write_bytes(b"")
    page = gallery.page(tmp_path, [figure], {name: record}, {name: [claim]})
    parser = Elements()
    parser.feed(page)
    assert len(parser.all("script")) == 1
    assert not parser.all("b")
    image = plates(parser)[0]
    assert image["alt"] == image["data-alt-fa"] == HOSTILE
    assert unquote(image["src"]) == f"{name}.png"
    known = {"src", "alt", "width", "height", "loading"}
    known |= {f"data-{kind}{code}" for kind in ("", "alt-") for code in LANGUAGES}
    assert set(image) == known
    # A file's name cannot turn the direction of what follows it.
    assert page.count("\u202e") > 20
    for part in page.split("<bdi")[1:]:
        assert part.split("</bdi>")[0].count("<") == 0


def test_an_isolated_formula_is_an_element_and_nothing_else_becomes_one():
    assert isolated("a \u2066x < 1\u2069 <b>") == 'a <bdi dir="ltr">x &lt; 1</bdi> &lt;b&gt;'
    assert isolated("a \u2066b") == "a \u2066b"


def test_the_index_leads_to_every_card():
    page = gallery.page(OUT, [BY_ID[QUICK]], {QUICK: manifest()[QUICK]}, {})
    parser = Elements()
    parser.feed(page)
    anchor = parser.all("article")[0]["id"]
    assert page.count(f'<li><a href="#{anchor}">') == 1
    small = next(a for a in parser.all("img") if a.get("class") == "thumbnail")
    assert small["alt"] == ""
    assert small["src"] == f"{QUICK}.png"
    assert {small[f"data-{code}"] for code in LANGUAGES} == {
        runner.file_name(BY_ID[QUICK], "png", code) for code in LANGUAGES
    }


@pytest.mark.parametrize("path", sorted(REFERENCES.glob("*.csv")), ids=lambda path: path.name)
def test_r_numbers_lead_to_the_script_that_wrote_them(path):
    """By the table of the scripts' README, whose patterns the tests with R hold true."""
    scripts = REFERENCES.parent / "r_scripts"
    table = (scripts / "README.md").read_text(encoding="utf-8")
    row = next(
        line for line in table.splitlines() if line.startswith(f"| `{gallery.r_script(path.name)}`")
    )
    patterns = re.findall(r"`([^`]+)`", row.split("|")[2])
    assert any(path.match(pattern) for pattern in patterns), patterns
    assert (scripts / gallery.r_script(path.name)).is_file()


def test_a_card_links_r_numbers_and_says_how_to_cite_it():
    record = manifest()[QUICK]
    page = gallery.page(OUT, [BY_ID[QUICK]], {QUICK: record}, {})
    parser = Elements()
    parser.feed(page)
    targets = {a["href"] for a in parser.all("a")}
    for target in ("reference/fig20_4_points.csv", "r_scripts/book3.R"):
        assert f"../reproductions/{target}" in targets
        assert (OUT / "../reproductions" / target).is_file()
    assert {"manifest.json", "claims.json"} <= targets
    version, digest = record["versions"]["aleplot-py"], record["numbers_sha256"][:12]
    cited = f"aleplot-py {version}, {QUICK}, molnar2/8.9, numbers sha256:{digest}"
    assert f'<bdi dir="ltr">{cited}</bdi>' in page


def test_no_link_of_a_committed_page_is_to_what_git_does_not_keep():
    assert not re.search(r'="[^"]*\.(svg|pdf)"', PAGE)


def test_the_page_does_not_depend_on_what_git_does_not_keep(tmp_path):
    entry = {QUICK: manifest()[QUICK]}
    (tmp_path / "molnar3").mkdir()
    for code in LANGUAGES:
        (tmp_path / runner.file_name(BY_ID[QUICK], "png", code)).write_bytes(b"")
    before = gallery.page(tmp_path, [BY_ID[QUICK]], entry, {})
    (tmp_path / f"{QUICK}.svg").write_bytes(b"")
    assert gallery.page(tmp_path, [BY_ID[QUICK]], entry, {}) == before


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("width", [1280, 500], ids=["desktop", "phone"])
def test_the_page_in_chromium(tmp_path, width):
    base = f'<head><base href="{OUT.as_uri()}/">'
    codes = json.dumps(list(LANGUAGES))
    probe = PROBE % (codes, codes)
    page = tmp_path / "probed.html"
    page.write_text(
        PAGE.replace("<head>", base, 1).replace("</body>", probe + "</body>"), encoding="utf-8"
    )
    result = _in_chromium(page, tmp_path, width)
    assert result["images"] == len(all_figures())
    for code, language in LANGUAGES.items():
        seen = result["seen"][code]
        assert (seen["lang"], seen["dir"], seen["pressed"]) == (code, language.direction, code)
        assert seen["broken"] == []
        assert seen["own"] == (0 if code == "en" else result["images"])
        assert seen["alts"] == result["images"]
        assert seen["heading"] == seen["title"]
        assert not seen["wide"]
    assert len({seen["title"] for seen in result["seen"].values()}) == len(LANGUAGES)
    assert result["dark"] != result["light"]
    assert result["open"]
    assert result["dialogName"]
    assert result["nameless"] == {code: [] for code in LANGUAGES}
    hits = result["hits"]
    assert hits.pop("all") == result["images"]
    assert hits.pop("zzz") == 0
    assert hits["20.8-class"] == 1
    assert all(0 < found < result["images"] for found in hits.values())


# What is enlarged in each language, once the vector picture had its time to load.
ENLARGED = """
<script>
addEventListener("load", async () => {
  const enlarged = {};
  for (const code of %s) {
    document.querySelector(`button[data-language="${code}"]`).click();
    document.querySelector(".plate a").click();
    await new Promise((done) => setTimeout(done, 2000));
    enlarged[code] = document.querySelector("dialog img").src.split("/").pop();
    document.querySelector("dialog").close();
  }
  const result = document.createElement("pre");
  result.id = "probe";
  result.textContent = JSON.stringify(enlarged);
  document.body.append(result);
});
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("built", [True, False], ids=["with svg", "without svg"])
def test_the_vector_picture_is_enlarged_where_it_was_built(tmp_path, built):
    figure = BY_ID[QUICK]
    (tmp_path / "molnar3").mkdir()
    for code in LANGUAGES:
        name = runner.file_name(figure, "png", code)
        (tmp_path / name).write_bytes((OUT / name).read_bytes())
    if built:
        drawn = pictures.render(figure, computed(figure), "en", ("svg",))["svg"]
        (tmp_path / f"{QUICK}.svg").write_bytes(drawn)
    page = tmp_path / "probed.html"
    html = gallery.page(tmp_path, [figure], {QUICK: manifest()[QUICK]}, {})
    probe = ENLARGED % json.dumps(list(LANGUAGES))
    page.write_text(html.replace("</body>", probe + "</body>"), encoding="utf-8")
    assert _in_chromium(page, tmp_path, 1280) == {
        "en": "20.4.svg" if built else "20.4.png",
        "fa": "20.4.fa.png",
        "tr": "20.4.tr.png",
    }


# Where each letter of the formulas is, from left to right as they are seen.
GLYPHS = """
<script>
addEventListener("load", () => {
  const seen = [];
  for (const formula of document.querySelectorAll(".formula")) {
    const letters = [];
    const walk = document.createTreeWalker(formula, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      for (let i = 0; i < node.data.length; i++) {
        const range = document.createRange();
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        const [box] = range.getClientRects();
        if (box && node.data[i].trim()) letters.push([Math.round(box.top), box.left, node.data[i]]);
      }
    }
    letters.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    seen.push(letters.map((letter) => letter[2]).join(""));
  }
  const result = document.createElement("pre");
  result.id = "probe";
  result.textContent = JSON.stringify(seen);
  document.body.append(result);
});
</script>
"""


def persian_formulas():
    """Messages of the Persian pages that hold formulas, with values for their fields."""
    for section, messages in (texts.catalogue("fa") | {"lab": build.messages("fa")}).items():
        for message in messages.values():
            if "`" in message:
                plain = re.sub(r"\{[^}]*\}", "7", message)
                yield texts.Text(LANGUAGES["fa"], [{section: plain}])(section)


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("marked", [True, False], ids=["isolated", "not isolated"])
def test_formulas_are_in_order_on_a_page_that_runs_from_the_right(tmp_path, marked):
    """By the places of the letters; without isolation some formulas would turn around."""
    wanted, paragraphs = [], []
    for message in persian_formulas():
        shown = str(isolated(message))
        for formula in re.findall("\u2066([^\u2069]*)\u2069", message):
            wanted.append("".join(formula.split()))
        element = '<bdi class="formula" dir="ltr">' if marked else '<span class="formula">'
        shown = shown.replace('<bdi dir="ltr">', element)
        paragraphs.append(shown if marked else shown.replace("</bdi>", "</span>"))
    page = tmp_path / "formulas.html"
    body = "\n".join(f"<p style='white-space: nowrap'>{shown}</p>" for shown in paragraphs)
    page.write_text(
        f"<!doctype html><html lang='fa' dir='rtl'><meta charset='utf-8'><body>{body}{GLYPHS}",
        encoding="utf-8",
    )
    seen = _in_chromium(page, tmp_path, 1280)
    assert len(seen) == len(wanted) > 20
    assert (seen == wanted) is marked


def _in_chromium(page, folder, width):
    """Load a page that writes its findings into an element, and read them."""
    arguments = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-sync",
        "--allow-file-access-from-files",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},900",
        "--virtual-time-budget=20000",
        "--dump-dom",
        page.as_uri(),
    ]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=600, check=True)
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    return json.loads(found[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
