"""``python -m validation`` writes where it is asked to, and nowhere else."""

import pytest

from validation import __main__ as command

QUICK = ["--cases", "2", "--check", "loops", "--jobs", "1"]


def test_nothing_is_written_unless_asked(tmp_path, monkeypatch, capsys):
    """The working directory stays as it is; the last line says how to keep the cases."""
    monkeypatch.chdir(tmp_path)
    assert command.main(QUICK) == 0
    assert list(tmp_path.iterdir()) == []
    assert "nothing written; --report DIR or --save DIR keeps" in capsys.readouterr().out
    assert command.main([*QUICK, "--save", "here"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    assert all(path.name.startswith("worst-") for path in (tmp_path / "here").iterdir())
    assert "saved: here" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--report", "--save"])
def test_a_folder_that_cannot_be_written_to_is_refused_first(tmp_path, monkeypatch, capsys, option):
    """Before any case is drawn."""
    monkeypatch.setattr(command.search, "search", lambda *_, **__: pytest.fail("searched"))
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(SystemExit):
        command.main([*QUICK, option, str(file)])
    assert f"argument {option}: {file} is not a folder" in capsys.readouterr().err


def test_an_interrupt_is_one_line(monkeypatch, capsys):
    """No traceback."""

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command.search, "search", stopped)
    assert command.main(QUICK) == 130
    assert capsys.readouterr().err == "interrupted\n"
