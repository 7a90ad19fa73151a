from django.urls import path

from studies.views import taking

app_name = "studies"

urlpatterns = [
    path("take/<str:code>/", taking.arrive, name="arrive"),
    path("take/<str:code>/consent/", taking.consent, name="consent"),
    path("take/<str:code>/instructions/", taking.instructions, name="instructions"),
    path("take/<str:code>/task/", taking.task, name="task"),
    path("take/<str:code>/draft/", taking.draft, name="draft"),
    path("take/<str:code>/undo/", taking.undo, name="undo"),
    path("take/<str:code>/finish/", taking.finish, name="finish"),
    path("take/<str:code>/leave/", taking.leave, name="leave"),
    path("take/<str:code>/done/", taking.done, name="done"),
]
