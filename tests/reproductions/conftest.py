"""What several tests of this room begin with."""

import pandas as pd
import pytest


@pytest.fixture
def r_table(tmp_path, monkeypatch):
    def write(**columns):
        pd.DataFrame(columns).to_csv(tmp_path / "r.csv", index=False)
        return "r.csv"

    monkeypatch.setattr("reproductions.engine.reference.FOLDER", tmp_path)
    return write
