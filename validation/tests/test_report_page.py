"""The report of a search: page, table and picture say what was found, and only that."""

import csv
import io
import re
import shutil
import struct
import subprocess
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from reproductions.engine.texts import LANGUAGES
from validation import report_page, search, second_r
from validation.agreement import Agreement
from validation.parity_report import TIERS
from validation.search import CaseFindings, SearchReport
from validation.search.checks import Finding

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)


class Elements(HTMLParser):
    """Collects start tags and text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attributes):
        """Collect a tag."""
        self.found.append((tag, dict(attributes)))

    def handle_data(self, data):
        """Collect text."""
        self.text.append(data)


def made_up() -> SearchReport:
    """Every status once or more, in three checks."""

    def agreement(difference, *, order="none", predictions=1.0):
        return Agreement(True, order, difference, 1.0, predictions)

    def case(number, kind, *findings):
        return CaseFindings(f"{kind}-lattice-7-{number}", kind, "lattice", number, findings)

    return SearchReport(
        7,
        (
            case(
                0,
                "numeric",
                Finding("loops", "too large"),
                Finding("ALEPlot", "equal", agreement(2e-16), identical=True, exact=False),
                Finding("PDPlot", "rounding", agreement(2e-10, predictions=1e6)),
            ),
            case(
                1,
                "numeric",
                Finding("loops", "equal", agreement(0.0)),
                Finding("ALEPlot", "equal", agreement(4e-16), identical=True, exact=True),
                Finding("PDPlot", "equal", agreement(3e-14)),
            ),
            case(
                2,
                "categorical",
                Finding("loops", "equal", agreement(1e-17, order="equal")),
                Finding("ALEPlot", "R cannot", detail="subscript out of bounds"),
                Finding("PDPlot", "different", agreement(1e-3, order="equal")),
            ),
            case(
                3,
                "categorical",
                Finding("loops", "both refuse", detail="constant"),
                Finding("ALEPlot", "equal", agreement(5e-17, order="tied")),
                Finding("PDPlot", "equal", agreement(0.0, order="equal")),
            ),
        ),
        {"iml ale": "the R package is not installed: iml <test>"},
        {"R": "0.0.0", "numpy": "9.9"},
    )


TIER_RECORDS = report_page.Tiers(
    {"webr": "1.2"},
    (
        {"tier": "stored", "case": "a", "difference": 0.0, "grid_equal": True},
        {"tier": "stored", "case": "b", "difference": 3e-15, "grid_equal": False},
        {"tier": "base_r", "case": "cut", "difference": None, "grid_equal": True},
    ),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The report, written."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "worst-numeric.json").write_text("{}", encoding="utf-8")
    report_page.write(made_up(), folder, TIER_RECORDS)
    return folder


@pytest.fixture(scope="module")
def elements(folder):
    """The page, parsed."""
    parser = Elements()
    parser.feed((folder / "index.html").read_text(encoding="utf-8"))
    return parser


# --- the summary ------------------------------------------------------------------------------


def test_rows_count_what_was_found():
    """Statuses, orders and largest differences, without what was not compared."""
    rows = {(row.check, row.kind): row for row in made_up().rows()}
    assert rows["loops", "numeric"].cases == 1
    assert rows["ALEPlot", "numeric"].of_curve == [2e-16, 4e-16]
    assert rows["ALEPlot", "numeric"].worst == "numeric-lattice-7-1"
    assert rows["ALEPlot", "categorical"].statuses == Counter({"R cannot": 1, "equal": 1})
    assert rows["ALEPlot", "categorical"].orders == Counter({"tied": 1})
    assert rows["ALEPlot", "categorical"].orders_equal == 1
    assert rows["PDPlot", "numeric"].largest_of_curve == 3e-14
    assert 0 < rows["PDPlot", "numeric"].largest_of_predictions < 1
    assert rows["PDPlot", "categorical"].mismatches == 1
    assert [found.check for _, found in made_up().failures] == ["PDPlot"]
    assert made_up().worst()["categorical"].number == 2


def test_the_text_says_everything():
    """Table, mismatches, what was not run and why, versions."""
    text = "\n".join(search.lines(made_up()))
    assert re.search(
        r"ALEPlot +numeric +2 +all +- +2 of 2 +1 of 2 +4\.0e-16 +- +numeric-lattice-7-1", text
    )
    assert re.search(r"PDPlot +numeric +2 +all +- +- +- +3\.0e-14 +1 \(0\.9 eps\)", text)
    assert "MISMATCH categorical-lattice-7-2, PDPlot: different" in text
    assert "not run: iml, ALE: the R package is not installed: iml <test>" in text
    assert "ALEPlot, categorical: 1 where R is known to fail" in text
    assert "loops, categorical: 1 refused by both" in text
    assert "ALEPlot, categorical: 1 orders equal up to levels" in text
    assert "versions: R 0.0.0, numpy 9.9" in text


# --- the table --------------------------------------------------------------------------------


def test_table(folder):
    """One line by check, kind and data, and one by tier."""
    lines = list(csv.DictReader(io.StringIO((folder / "differences.csv").read_text())))
    assert list(lines[0]) == list(report_page.COLUMNS)
    found = {(line["compared_with"], line["kind"], line["data"]): line for line in lines}
    line = found["PDPlot", "categorical", "all"]
    assert (line["cases"], line["different"], line["largest"]) == ("2", "1", "0.001")
    assert found["ALEPlot", "numeric", "lattice"]["median"] == "3e-16"
    assert found["ALEPlot", "categorical", "all"]["r_cannot"] == "1"
    assert found["ALEPlot", "categorical", "all"]["orders_tied"] == "1"
    stored = found[TIERS["stored"], "", ""]
    assert (stored["cases"], stored["grids_equal"], stored["largest"]) == ("2", "1", "3e-15")


def test_a_test_run_is_read(tmp_path):
    """What pytest writes with ``--parity-json``; NaN counts as infinite."""
    path = tmp_path / "parity.json"
    path.write_text(
        '{"versions": {"R": "4"}, "records": ['
        '{"test": "t", "tier": "stored", "case": "a", "difference": NaN, "grid_equal": true},'
        '{"test": "t", "tier": "figures", "case": "b", "difference": 0.1, "grid_equal": true}]}',
        encoding="utf-8",
    )
    tiers = report_page.read_tiers(path)
    assert len(tiers.records) == 1
    assert tiers.differences("stored") == [float("inf")]


# --- the page ---------------------------------------------------------------------------------


def test_nothing_comes_from_elsewhere(folder, elements):
    """The page needs no file but those beside it and the gallery."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    addresses = [a[name] for _, a in elements.found for name in ("src", "href") if a.get(name)]
    assert not [a for a in addresses if re.match(r"(https?:)?//", a)]
    assert "url(" not in page
    assert "@import" not in page
    ids = {a["id"] for _, a in elements.found if "id" in a}
    for address in addresses:
        if address.startswith("#"):
            assert address[1:] in ids
        elif not address.startswith("data:"):
            assert address == "../index.html" or (folder / address).is_file()


def test_the_page_shows_what_was_found(elements):
    """In every language: verdicts, versions, and why a check did not run."""
    text = " ".join(elements.text)
    for part in ("iml <test>", "9.9", "1.2"):
        assert part in text
    for code, language in LANGUAGES.items():
        say = report_page.report_text(code)
        assert say("bad", count=1) in text
        # Numbers of the tables as the language writes them, no other language's beside them.
        assert {say.number(4e-16, ".1e"), language.percent(0.5)} <= set(elements.text)
    rows = [attributes for tag, attributes in elements.found if tag == "tr"]
    # Six lines of the search with their header, one kind of data, two tiers, the other Rs.
    others = second_r.read()
    assert len(rows) == (1 + 6) + (1 + 1) + (1 + 2) + (1 + len(others))
    for found in others:
        assert {found.R, found.LAPACK} <= set(elements.text)
    chips = Counter(a["class"] for tag, a in elements.found if "chip" in a.get("class", ""))
    assert chips == Counter({"chip good": 5, "chip bad": 1})


def test_nothing_that_was_found_becomes_markup(tmp_path):
    """Reasons, versions and names of files are text, whatever is in them."""
    hostile = "<script>alert(1)</script>\"'&amp;<b>\u202ex"
    (tmp_path / "worst-<b>&'.json").write_text("{}", encoding="utf-8")
    report = SearchReport(1, (), {"iml ale": hostile}, {hostile: hostile})
    report_page.write(report, tmp_path)
    parser = Elements()
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    parser.feed(page)
    tags = Counter(tag for tag, _ in parser.found)
    assert (tags["script"], tags["b"]) == (1, 0)
    assert "".join(parser.text).count(hostile) == 3
    # Nor do they turn the direction of what follows them.
    assert all("<" not in part.split("</bdi>")[0] for part in page.split("<bdi")[1:])
    (link,) = [a["href"] for tag, a in parser.found if "worst" in (a.get("href") or "")]
    assert (tmp_path / unquote(link)).is_file()


def test_messages_are_complete():
    """Every language has every message, with the same fields."""
    fields = {
        code: {
            key: sorted(re.findall(r"\{(\w+)", message))
            for key, message in report_page._messages(code).items()
        }
        for code in LANGUAGES
    }
    assert all(fields[code] == fields["en"] for code in LANGUAGES)


def test_without_a_test_run_or_aleplot(tmp_path):
    """The page leaves out what there is nothing to say about."""
    report = SearchReport(1, (), {}, {"numpy": "9.9"})
    report_page.write(report, tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'id="tiers"' not in page
    assert "Every comparison ran" in page


def test_pictures(folder):
    """One in each language, the same bytes for the same numbers."""
    for code in LANGUAGES:
        name = "differences.png" if code == "en" else f"differences.{code}.png"
        content = (folder / name).read_bytes()
        width, height = struct.unpack(">II", content[16:24])
        assert width > 1000
        assert height > 200
        text = report_page.report_text(code)
        assert report_page.picture(made_up(), TIER_RECORDS, text) == content


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_chromium(folder, width):
    """Fits the window, also that of a telephone; its buttons work."""
    probe = """<script>addEventListener("load", () => {
      document.querySelector('button[data-language="fa"]').click();
      document.querySelector('button[data-theme="dark"]').click();
      const root = document.documentElement, image = document.querySelector(".plate img");
      const heading = document.querySelector("h1").innerText.length > 5;
      document.title = [root.dir, root.dataset.theme, image.getAttribute("src"),
        root.scrollWidth <= innerWidth, heading].join("|");
    });</script></body>"""
    page = (folder / "index.html").read_text(encoding="utf-8").replace("</body>", probe)
    path = folder / f"probe{width}.html"
    path.write_text(page, encoding="utf-8")
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-background-networking", "--disable-sync", f"--window-size={width},900"),
        *(f"--user-data-dir={folder / 'profile'}", "--dump-dom", path.as_uri()),
    ]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    title = re.search(r"<title>(.*?)</title>", dumped.stdout)[1]
    assert title == "rtl|dark|differences.fa.png|true|true"
