"""See, set and try what says when something is wrong with a store."""

from milepost.access.values import ADMIN
from milepost.errors import InvalidInput
from milepost.memory.context import Service
from milepost.memory.values import OWN_SPACE
from milepost.operation import operation
from milepost.upkeep.alerts.rules import RULES
from milepost.upkeep.alerts.telling import Teller, problem_of
from milepost.upkeep.alerts.values import OFF, Alerts, Told
from milepost.upkeep.alerts.watching import Watch, set_threshold, status_of_rules
from milepost.upkeep.storage import care_of_the_whole

USUAL = "usual"


class Alarms(Service):
    """The operations on alerts."""

    @operation("alerts", example="alerts()", read_only=True, scope=ADMIN)
    def alerts(self) -> Alerts:
        """Show the rules that say when something is wrong with the store, and what fires."""
        care_of_the_whole(self._context, "alerts")
        return status_of_rules(self._context)

    @operation("alerts", example="check_alerts()", idempotent=True, scope=ADMIN)
    def check_alerts(self) -> Alerts:
        """Look at all rules now, and tell who is to know of what begins and of what is over."""
        care_of_the_whole(self._context, "check_alerts")
        self._context.part(Watch).check()
        return status_of_rules(self._context)

    @operation("alerts", example='set_alert("disk", "2GB")', idempotent=True, scope=ADMIN)
    def set_alert(self, rule: str, threshold: str) -> Alerts:
        """Say above which threshold a rule fires, or that it never does.

        Setting memories also takes what there is now for what there shall be.

        rule: memories (gone that no operation removed), errors (of calls), backup (age of the
            newest), index (problems), jobs (that failed for good), disk (that is free).
        threshold: such as 5%, 36h, 2GB or 0; "off", or "usual".
        """
        context = self._context
        care_of_the_whole(context, "set_alert")
        if rule not in RULES:
            raise InvalidInput(f"rule must be {', '.join(RULES)}, not {rule!r:.40}.")
        if threshold not in (OFF, USUAL):
            RULES[rule].limit(threshold)
        with context.store.within(OWN_SPACE).writing() as work:
            set_threshold(work, rule, None if threshold == USUAL else threshold)
        context.part(Watch).check()
        return status_of_rules(context)

    @operation("alerts", example="test_alerts()", scope=ADMIN, begins=True)
    def test_alerts(self) -> list[Told]:
        """Tell who is to know of alerts that this is a test, and say whether they were reached."""
        context = self._context
        care_of_the_whole(context, "test_alerts")
        teller = context.part(Teller)
        now_s = context.now_s
        message = {
            "alert": "test", "state": "test", "found": "this is a test", "threshold": "",
            "since": now_s, "at": now_s,
        }  # fmt: skip
        if not teller.targets:
            unset = "set alert_command or alert_webhook where the memory runs"
            return [Told("nobody", reached=False, problem=unset)]
        problems = {target: problem_of(teller, target, message) for target in teller.targets}
        return [Told(target, not problem, problem) for target, problem in problems.items()]
