"""What the figures beside one greedy user are made of, without a daemon."""

import collections
import contextlib
import pathlib
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import Fair  # noqa: E402
from Conductor.servers import Broken  # noqa: E402
from Fair import page, steps  # noqa: E402
from Fair.attack import Measurement, share  # noqa: E402
from Fair.client import Client, Kind, ORDINARY, REQUESTS_PER_SECOND  # noqa: E402
from Fair.load import Load, Outcome, Wave  # noqa: E402
from Fair.daemon import Scrape, longest_turn, size  # noqa: E402

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nfin"
REFUSAL = b'HTTP/1.1 503 No\r\nContent-Length: 38\r\n\r\n{"code":"LIMIT_BUS","detail":"Later."}'
TURN = 'belfry_http_loop_turn_seconds_bucket{le="%s"}'
STREAMS = next(attack for attack in Fair.ALL if attack.name == "streams")
LISTS = next(attack for attack in Fair.ALL if attack.name == "lists")
Row = collections.namedtuple("Row", "attack store seen broken", defaults=(None, ""))


@contextlib.contextmanager
def server(*answers, pause=0.0, is_kept=False):
    """Gives the answers in turn, each to a connection of its own, the first after the pause. A kept one
    has the last again and again."""
    def serve(link, answer, is_first):
        with link:
            time.sleep(pause if is_first else 0)
            while link.recv(65536):
                link.sendall(answer)
                if not is_kept:
                    break

    def accept():
        for number, answer in enumerate(answers):
            threads.append(threading.Thread(target=serve, args=(listener.accept()[0], answer, number == 0)))
            threads[-1].start()

    threads = [threading.Thread(target=accept)]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threads[0].start()
        yield listener.getsockname()[1]
        for thread in threads:
            thread.join()


def scrape(turns, at, busy=0.0, **figures):
    """Figures of the daemon: so many turns up to each bound."""
    buckets = {TURN % bound: count for bound, count in turns.items()}
    return Scrape({**buckets, "belfry_http_loop_turn_seconds_sum": busy, **figures}, at)


def seen(outcome, busy=0.0, subscribers=0.0, baseline=(1.0,), beside=(1.0,), longest=0.008192):
    """Ten seconds of an attack."""
    kind = ORDINARY[0]
    turns = {0.004096: 0, 0.008192: 0, 0.016384: 0, 4.0: 0, float("inf"): 0}
    after = scrape({bound: float(bound >= longest) for bound in turns}, 10, busy * 10)
    after.figures['belfry_subscribers{form="ndjson"}'] = subscribers
    return Measurement(
        ({kind: sorted(baseline)}, []), ({kind: sorted(beside)}, []), scrape(turns, 0), after, outcome, 10, busy, 0, 1, 1, 1)


class ProofTests(unittest.TestCase):
    """An attack that was none gives no figures."""

    def test_streams_that_are_missing_beside_an_idle_loop_break_the_row(self):
        with self.assertRaisesRegex(Broken, "9000 of 10000 streams are missing"):
            STREAMS.check(seen(Outcome(opened=1000), busy=0.1, subscribers=1000))

    def test_streams_that_a_busy_loop_did_not_open_are_a_missed_aim(self):
        row = seen(Outcome(opened=1000), busy=0.9, subscribers=1000)
        STREAMS.check(row)
        self.assertIn("streams open", [figure.name for figure in STREAMS.figures(row) if not figure.is_met])

    def test_streams_that_the_daemon_does_not_know_break_the_row(self):
        with self.assertRaisesRegex(Broken, "the daemon knows of 12"):
            STREAMS.check(seen(Outcome(opened=10_000), busy=0.9, subscribers=12))

    def test_streams_without_heartbeats_break_the_row(self):
        with self.assertRaisesRegex(Broken, "no heartbeats"):
            STREAMS.check(seen(Outcome(opened=10_000, bytes=3_000_000), subscribers=10_000))

    def test_streams_that_the_daemon_closed_are_not_open(self):
        figures = {figure.name: figure.value for figure in STREAMS.figures(seen(Outcome(opened=10_000, lost=9000)))}
        self.assertEqual(figures["streams open"], 1000)

    def test_streams_that_were_refused_are_not_missing(self):
        refused = collections.Counter({"429 LIMIT_CALLER": 6000})
        STREAMS.check(seen(Outcome(opened=4000, later_bytes=4000, refused=refused), subscribers=4000))

    def test_requests_that_were_all_refused_break_the_row(self):
        with self.assertRaisesRegex(Broken, "nothing was answered"):
            LISTS.check(seen(Outcome(asked=10, bytes=5000, refused=collections.Counter({"503": 10}))))

    def test_lists_without_the_topics_break_the_row(self):
        with self.assertRaisesRegex(Broken, "all topics"):
            LISTS.check(seen(Outcome(asked=10, opened=10, whole=10, bytes=5000)))

    def test_attacks_have_names_of_their_own_and_aims(self):
        self.assertEqual(len({attack.name for attack in Fair.ALL}), len(Fair.ALL))
        self.assertTrue(all(attack.title and attack.waves_min >= bool(attack.wanted) for attack in Fair.ALL))


class FigureTests(unittest.TestCase):
    def test_a_quantile_of_few_values_is_the_most(self):
        self.assertEqual(share([1, 2, 3], 0.999), 3)

    def test_the_longest_turn_is_the_highest_bucket_that_has_grown(self):
        before = scrape({0.001: 5, 0.002: 6, 0.004: 7, float("inf"): 7}, 0)
        after = scrape({0.001: 9, 0.002: 11, 0.004: 12, float("inf"): 12}, 1)
        self.assertEqual(longest_turn(before, after), (1, 2))

    def test_in_the_bucket_around_the_aim_the_client_decides(self):
        for beside, is_met in ((9.0, True), (12.0, False)):
            pause = STREAMS.fairness(seen(Outcome(), beside=(beside,), longest=0.016384))[1]
            self.assertEqual(pause.is_met, is_met)
        self.assertFalse(STREAMS.fairness(seen(Outcome(), longest=4.0))[1].is_met)

    def test_the_aim_is_on_what_the_attack_adds(self):
        self.assertTrue(STREAMS.fairness(seen(Outcome(), baseline=(30.0,), beside=(34.0,)))[0].is_met)
        self.assertFalse(STREAMS.fairness(seen(Outcome(), baseline=(30.0,), beside=(36.0,)))[0].is_met)

    def test_sizes_are_those_of_the_configuration(self):
        self.assertEqual([size(text) for text in ("512", "16K", "256M", "1G")], [512, 2**14, 2**28, 2**30])

    def test_the_page_says_what_was_missed_and_what_was_not_measured(self):
        missed = Row(STREAMS, "memory", seen(Outcome(opened=1), busy=1.0, beside=(70.0,)))
        aims = page.aims([missed, Row(LISTS, "sqlite", broken="cut off")])
        self.assertIn("| streams | memory | 99.9th percentile, ms over that without | 69.0 | ≤ 5.0 | **missed** |", aims)
        self.assertIn("| streams | memory | streams open | 1.0 | ≥ 10,000 | **missed** |", aims)
        self.assertIn("**not measured**: cut off", aims)


class ClientTests(unittest.TestCase):
    def test_a_pause_counts_for_every_request_that_was_due_in_it(self):
        kind = Kind("kept", False, "/healthz", 200)
        with server(OK, pause=0.5, is_kept=True) as port, Client(port, [kind]) as client:
            time.sleep(1.5)
            taken, complaints = client.stop()
        self.assertEqual(complaints, [])
        self.assertGreater(sum(value > 100 for value in taken[kind]), REQUESTS_PER_SECOND * 0.3)
        self.assertGreater(taken[kind][-1], 400)

    def test_another_answer_is_a_complaint(self):
        kind = Kind("kept", False, "/healthz", 200)
        with server(REFUSAL, is_kept=True) as port, Client(port, [kind]) as client:
            time.sleep(1)
            _, complaints = client.stop()
        self.assertIn("LIMIT_BUS", complaints[0])


class LoadTests(unittest.TestCase):
    def outcome(self, *answers, until):
        with server(*answers) as port:
            load = Load(port)
            load.begin(Wave([b"GET / HTTP/1.1\r\n\r\n"] * len(answers), window=1, until=until))
            deadline = time.monotonic() + 20
            while not load.is_settled:
                self.assertLess(time.monotonic(), deadline)
                load.turn()
            load.leave()
        return load.outcome

    def test_whole_answers_and_those_that_were_cut_are_told_apart(self):
        chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
        outcome = self.outcome(OK, OK[:-1], chunks, chunks + b"0\r\n\r\n", until="end")
        self.assertEqual((outcome.asked, outcome.opened, outcome.whole, outcome.cut), (4, 4, 2, 2))

    def test_a_refusal_has_its_code_where_it_has_a_sentence(self):
        outcome = self.outcome(OK, REFUSAL, REFUSAL.replace(b"Later.", b"      ").replace(b'"      "', b'""      '), until="head")
        self.assertEqual(outcome.opened, 1)
        self.assertEqual(outcome.refused, {"503 LIMIT_BUS": 1, "503": 1})


class StepsTests(unittest.TestCase):
    """The short form finds a turn that did too much, and an attack that was none."""

    @staticmethod
    def objections(highest, turns):
        kinds = {steps.HIGHEST: highest, steps.BOUND: 256.0, steps.TURNS: turns}
        before, after = ({f'{family}{{kind="lists"}}': value for family, value in {**kinds, **change}.items()}
                         for change in ({steps.TURNS: 3.0}, {}))
        return list(steps.objections(LISTS, Scrape(before, 0), Scrape(after, 1)))

    def test_work_within_its_bound_is_fine(self):
        self.assertEqual(self.objections(256.0, 4.0), [])

    def test_a_turn_beyond_its_bound_is_told(self):
        self.assertEqual(self.objections(257.0, 4.0), ["a turn took 257 steps of lists, 256 are its bound"])

    def test_an_attack_without_its_work_is_told(self):
        self.assertEqual(self.objections(1.0, 3.0), ["the attack was none: no turn had lists"])

    def test_a_daemon_without_the_figures_is_told(self):
        self.assertTrue(list(steps.objections(LISTS, Scrape({}, 0), Scrape({}, 1))))


if __name__ == "__main__":
    unittest.main()
