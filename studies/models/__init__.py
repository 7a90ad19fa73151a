from studies.models.answers import Answer, Check, Edit, EntryAnswer, Judgment
from studies.models.notices import Notice
from studies.models.participants import Participant
from studies.models.pay import PayList, Payment
from studies.models.studies import Amendment, Condition, Study, Wording
from studies.models.tasks import Assignment, Kind, Slot, Task

__all__ = [
    "Amendment",
    "Answer",
    "Assignment",
    "Check",
    "Condition",
    "Edit",
    "EntryAnswer",
    "Judgment",
    "Kind",
    "Notice",
    "Participant",
    "PayList",
    "Payment",
    "Slot",
    "Study",
    "Task",
    "Wording",
]
