"""The laboratory's page: what is committed, and what a reader does with it in a browser."""

import json
import re
import struct

import pytest

from reproductions.engine.texts import LANGUAGES
from reproductions.lab import __main__ as command
from reproductions.lab import arithmetic, build
from tests.reproductions.test_figure_gallery import CHROMIUM, Elements, _in_chromium
from tests.reproductions.test_lab import in_node, needs_node


def test_the_committed_page_is_the_built_one(capsys, monkeypatch):
    monkeypatch.setattr(arithmetic, "NODE", None)
    assert command.main(["--check"]) == 0
    assert "Node is not installed" in capsys.readouterr().out


def test_nothing_comes_from_elsewhere():
    page = build.page()
    elements = Elements()
    elements.feed(page)
    addresses = [a[name] for _, a in elements.found for name in ("src", "href") if name in a]
    assert not [a for a in addresses if re.match(r"(https?:)?//", a)]
    assert not re.search(r"@import|url\(['\"]?http|fetch\(|XMLHttpRequest|\bimport [{\"]", page)


# Collects what goes wrong from the beginning.
WATCH = """<head><script>
const wrong = [];
addEventListener("error", (event) => wrong.push(event.message));
addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
for (const name of ["error", "warn"]) console[name] = (...said) => wrong.push(said.join(" "));
</script>"""

# Goes through the page as a reader does, and writes down what shows.
PROBE = """
<script type="module">
const settled = () => new Promise((done) => setTimeout(done, 0));
const find = (query) => document.querySelector(query);
const all = (query) => [...document.querySelectorAll(query)];
const to = async (fragment) => {
  const changed = new Promise((done) => addEventListener("hashchange", done, {once: true}));
  location.hash = fragment;
  await changed;
  await settled();
};
const fact = (name) => JSON.parse(find(`[data-fact="${name}"]`).dataset.values);
const slide = (name, value) => {
  find(`#control-${name}`).value = value;
  find(`#control-${name}`).dispatchEvent(new Event("input"));
};
const found = {seen: {}};
for (const code of %s) {
  find(`button[data-language="${code}"]`).click();
  await settled();
  const scenes = {};
  for (const scene of %s) {
    await to(`#scene=${scene}`);
    const named = (node) => node.labels?.[0]?.innerText || node.getAttribute("aria-label")
      || node.innerText || document.getElementById(node.getAttribute("aria-labelledby"))?.innerText;
    scenes[scene] = {
      heading: all("#stage h2").filter((node) => node.offsetParent).map((node) => node.innerText),
      facts: all("#facts li").map((node) => node.textContent),
      marks: all("#panels svg *").length,
      charts: all("#panels svg").map((node) => node.getAttribute("aria-label")),
      controls: all("#controls input, #controls select").length,
      nameless: all(":is(#stage, article) :is(input, select, textarea, button), nav")
        .filter((node) => node.checkVisibility() && !named(node)?.trim())
        .map((node) => node.outerHTML),
      wide: document.documentElement.scrollWidth > innerWidth,
    };
  }
  found.seen[code] = {dir: document.documentElement.dir, scenes};
}
find('button[data-language="en"]').click();
await settled();

await to("#scene=extrapolation");
found.pd = fact("extrapolation.asked");
slide("below", "0");
found.without = fact("extrapolation.asked");
find("#control-method").value = "ale";
find("#control-method").dispatchEvent(new Event("input"));
found.ale = fact("extrapolation.asked");
found.python = find("#code").textContent;

await to("#scene=parabola");
found.bent = fact("parabola.fitted").fitted;
slide("rho", "0");
found.straight = fact("parabola.fitted").fitted;

await to("#scene=steps&step=1");
const columns = () => all("#table thead th").length;
found.steps = [columns()];
for (let i = 0; i < 4; i++) {
  find('[data-to="next"]').focus();
  find('[data-to="next"]').click();
  found.steps.push(columns());
}
found.focus = document.activeElement.dataset.to ?? null;

// A point by keyboard, another by pointer; the address holds both.
await to("#scene=curves");
const before = fact("curves.errors").ale;
const press = (key) => document.activeElement
  .dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
find('[data-point="0"]').focus();
press("ArrowRight");
press("PageDown");
found.focused = document.activeElement.dataset.point;
const dot = find('[data-point="5"]').getBoundingClientRect();
const at = {clientX: dot.x + dot.width / 2, clientY: dot.y + dot.height / 2, bubbles: true};
find('[data-point="5"]').dispatchEvent(new PointerEvent("pointerdown", at));
dispatchEvent(new PointerEvent("pointermove", {...at, clientX: at.clientX - 30}));
dispatchEvent(new PointerEvent("pointermove", {...at, clientX: at.clientX - 60}));
dispatchEvent(new PointerEvent("pointerup", at));
dispatchEvent(new PointerEvent("pointermove", {...at, clientX: at.clientX - 90}));
await new Promise((done) => setTimeout(done, 400));
found.hash = location.hash;
found.moved = fact("curves.errors");
await to("#scene=levels");
await to(found.hash);
found.again = fact("curves.errors");
found.changed = before !== found.moved.ale;

// What is no number of a setting is left at its first value.
await to("#scene=curves&n=1e9&K=2.5&model=none&rho=&above=0.5&moved=1:9:9,x");
found.refused = ["n", "K", "model", "above"].map((name) => find(`#control-${name}`).value);

// All points at one value of x1.
const column = [...Array(10).keys()].map((i) => `${i}:0.5:0.${i}`);
await to(`#scene=curves&n=10&moved=${column}`);
found.constant = find("#facts").textContent;

const answer = (exercise, values) => {
  const article = find(`#exercise-${exercise}`);
  const fields = [...article.querySelectorAll(".answer input, .answer select")];
  fields.forEach((node, i) => { node.value = values[i]; });
  article.querySelector("form").requestSubmit();
  return article.querySelector('[role="status"]').textContent;
};
found.answers = [
  answer("hand", ["4.67", "14", "11.66"]),
  answer("hand", ["\u06f4\u066b\u06f6\u06f7", "14,0", "\u221211.67"]),
  answer("levels", [".5", "0,25", "3"]), answer("cost", ["10000", "x", ""]),
];
found.wrong = wrong;
const result = document.createElement("pre");
result.id = "probe";
result.textContent = JSON.stringify(found);
document.body.append(result);
</script>
"""


@needs_node
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("width", [1280, 500], ids=["desktop", "phone"])
def test_the_laboratory_in_chromium(tmp_path, width):
    page = tmp_path / "lab.html"
    probe = PROBE % (json.dumps(list(LANGUAGES)), json.dumps(build.SCENES))
    text = build.page().replace("<head>", WATCH, 1).replace("</body>", probe + "</body>")
    page.write_text(text, encoding="utf-8")
    found = _in_chromium(page, tmp_path, width)
    assert found["wrong"] == []
    for code, language in LANGUAGES.items():
        seen = found["seen"][code]
        assert seen["dir"] == language.direction
        for name, scene in seen["scenes"].items():
            assert len(scene["heading"]) == 1, name
            assert len(scene["facts"]) > 0
            assert len(scene["charts"]) == 2
            assert all(scene["charts"])
            assert scene["marks"] > 40
            assert scene["controls"] > 2
            assert scene["nameless"] == []
            assert not scene["wide"], (code, name)
            digits = "".join(re.findall(r"\d", "".join(scene["facts"])))
            own = digits.translate(str.maketrans("0123456789", "          "))
            # Names such as x1 keep their digits.
            assert (own.strip() != "") is (code == "fa" and name != "levels"), (code, name)
    # What the sliders did, against the numbers that the Python of the scene gives.
    scenes = in_node("scenes_check.mjs", "[{}]")
    asked, inside = (
        struct.unpack(">d", bytes.fromhex(bits))[0]
        for bits in next(one for one in scenes if one["scene"] == "extrapolation")["result"][:2]
    )
    assert found["pd"] == {"asked": asked, "inside": inside}
    assert inside > 0
    assert found["without"] == {"asked": 500, "inside": 0}
    assert found["ale"] == {"asked": 50, "inside": 0}
    assert 'effect = ale(watched, X, "x1", K=20, grid="iml")' in found["python"]
    assert abs(found["bent"] + 0.45) < 0.1
    assert abs(found["straight"]) < 0.1
    assert found["steps"] == [3, 3, 4, 5, 6]
    assert found["focused"] == "1"
    moved = re.search(r"moved=([^&]*)", found["hash"])[1]
    assert re.findall(r"(?:^|%2C)(\d+)%3A", moved) == ["0", "5"]
    assert found["again"] == found["moved"]
    assert found["changed"]
    assert found["refused"] == ["25", "20", "odd", "0.5"]
    assert found["constant"] == build.messages("en")["constant"]
    assert found["answers"] == ["3 of 3 right", "2 of 3 right", "3 of 3 right", "1 of 3 right"]


def test_the_gallery_leads_to_the_laboratory_and_back():
    gallery = (build.OUT.parent / "index.html").read_text(encoding="utf-8")
    assert 'href="lab.html"' in gallery
    assert 'href="index.html"' in build.page()
