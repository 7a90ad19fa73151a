from __future__ import annotations

from decoding.jobs import JobRun, job
from evaluation.core.errors import InputError


@job("simulate-crowd", title="Simulated crowd")
def simulate_crowd(run: JobRun) -> dict[str, int]:
    """Let simulated people take part over HTTP; what they do is marked in the database.

    Their answers are committed by the web server, one by one: after a crash the job goes on with
    other people, and nothing is done twice.
    """
    from studies.arrivals import SIMULATED, simulation_proof
    from studies.crowd import play
    from studies.models import Study

    study = Study.objects.get(pk=run.parameters["study"])
    if not study.is_running:
        raise InputError("the study does not run", hint="Start it, then try again.")
    if not study.is_open:
        raise InputError("the study has no open link", hint="Open it for the pilot.")
    link = f"/take/{study.code}/?{SIMULATED}={simulation_proof(study)}"
    answers = play(
        run.parameters["address"],
        lambda number: link,
        people=run.parameters["people"],
        seed=run.parameters["seed"] + run.job.attempts,
        at_once=run.parameters.get("at_once", 4),
        done=run.check,
        tell=lambda answers: run.say(f"{answers:,} answers"),
    )
    return {"answers": answers}


@job("report-outcomes", title="Report to the platform")
def report_outcomes(run: JobRun) -> dict[str, int]:
    """Tell a study's platform how people's parts ended, until it has taken all or refused.

    An attempt that a crash cut off is made again: the platform knows it by its key.
    """
    from studies.actions.notices import FIRST_WAIT_SECONDS, deliver, record, take_due, waiting

    study = run.parameters["study"]
    first_wait = run.parameters.get("first_wait", FIRST_WAIT_SECONDS)
    sent = refused = 0
    while waiting(study).exists():
        notice = take_due(study, first_wait)
        if notice is None:
            run.wait(min(1.0, first_wait))
            continue
        problem, for_good = deliver(notice)
        with run.piece(message=problem):
            record(notice, problem, for_good=for_good)
        notice.refresh_from_db(fields=["state"])
        sent += notice.state == "sent"
        refused += notice.state == "refused"
    return {"sent": sent, "refused": refused}
