"""What the conductor makes of figures."""

import contextlib
import io
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import Fair  # noqa: E402
import Jobs  # noqa: E402
import Rows  # noqa: E402
from Conductor import kept, pages, results  # noqa: E402
from Conductor.row import Aim, Figure, Row  # noqa: E402

UNIT = "µs"


def rounds(*pairs):
    """Rounds of the daemon and a peer at one point."""
    return [[Figure(UNIT, "belfryd", 1, mine), Figure(UNIT, "peer", 1, other)] for mine, other in pairs]


class Example(Row):
    name, title, grows = "example", "an example", "things"
    aims = [Aim(UNIT, "belfryd", 1, ("peer", 1), at_most=0.5), Aim(UNIT, "belfryd", 1, at_least=3)]


class ConductorTests(unittest.TestCase):
    def test_a_ratio_is_the_median_of_the_quotients_of_each_round(self):
        # The quotient of the medians would be 1.
        figures = rounds((1, 10), (10, 1), (2, 2), (4, 10), (3, 10))
        self.assertAlmostEqual(Example.aims[0].value(figures), 0.4)

    def test_an_aim_is_met_at_its_bound_and_missed_beyond(self):
        for mine, states in ((5, [True, True]), (6, [False, True]), (2, [True, False])):
            judged = [met for _, _, met in results.judged(Example(), rounds((mine, 10)))]
            self.assertEqual(judged, states)

    def test_what_was_not_measured_is_not_met(self):
        self.assertEqual([met for _, _, met in results.judged(Example(), [[]])], [False, False])
        self.assertIn("not measured", results.table([Example()], {"example": [[]]}, {}))

    def test_a_broken_row_has_no_figures(self):
        page = results.document("bench", "", [Example()], {"example": rounds((1, 2))}, {"example": "cut off"}, "")
        self.assertNotIn("## example", page)
        self.assertIn("cut off", results.table([Example()], {"example": []}, {"example": "cut off"}))

    def test_the_spread_is_that_of_the_rounds(self):
        self.assertIn("| 1 | belfryd | 12.0 | 11.0 – 200 |  |", results.section(Example(), rounds((11, 1), (200, 1), (12, 1))))

    def test_rows_have_names_of_their_own_and_aims(self):
        for every in Rows.ALL, Jobs.ALL:
            self.assertEqual(len({row.name for row in every}), len(every))
            self.assertTrue(all(row.aims and row.grows for row in every))

    def test_rows_that_the_page_of_figures_names_are_there(self):
        page = (pathlib.Path(__file__).parent / "FIGURES.md").read_text()
        for target, every in ("bench", Rows.ALL), ("bench-work", Jobs.ALL), ("fair", Fair.ALL):
            table = page.partition(f"| `make {target} ARGS=` |\n")[2].partition("\n\n")[0]
            names = re.findall(r"\| `([a-z-]+)` \|$", table, re.MULTILINE)
            self.assertGreater(len(names), 4)
            self.assertLessEqual(set(names), {row.name for row in every})


class KeptTests(unittest.TestCase):
    """What a benchmark prints is shown, and kept as a page."""

    def kept(self, script, columns=""):
        """The status, what was shown, and each page."""
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(pages, "RESULTS", pathlib.Path(folder) / "results"), \
                contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.redirect_stderr(io.StringIO()):
            status = kept.keep("bench-example", ["sh", "-c", script], columns)
            found = {page.name: page.read_text() for page in pages.folder().iterdir()}
        return status, shown.getvalue(), found

    def test_a_page_has_what_was_printed_and_how_to_measure_it_again(self):
        status, shown, found = self.kept("echo figures")
        self.assertEqual((status, shown), (0, "figures\n"))
        self.assertIn("Written by `make bench-example`", found["bench-example.md"])
        self.assertTrue(found["bench-example.md"].endswith("\n\nfigures\n"))

    def test_rows_alone_are_a_table_below_their_columns(self):
        table = "| What | Figure |\n|---|---|\n| one | 1 |\n"
        status, shown, found = self.kept("echo test; echo '| one | 1 |'", "What | Figure")
        self.assertEqual((status, shown), (0, table))
        self.assertTrue(found["bench-example.md"].endswith(f"\n\n{table}"))

    def test_a_command_that_fails_keeps_no_page_and_says_why(self):
        status, shown, found = self.kept("echo '| one | 1 |'; echo reason >&2; exit 3", "What | Figure")
        self.assertEqual((status, found), (1, {}))
        self.assertIn("reason", shown)

    def test_a_run_of_a_part_leaves_the_page_of_a_whole_run(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(pages, "RESULTS", pathlib.Path(folder)):
            self.assertNotEqual(pages.folder(), pages.folder(is_whole=False))


if __name__ == "__main__":
    unittest.main()
