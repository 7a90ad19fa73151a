from django.urls import path

from studies.views import designing, entering, paying, running, taking

app_name = "studies"

urlpatterns = [
    path("studies/", designing.study_list, name="studies"),
    path("studies/new/", designing.new_study, name="new"),
    path("studies/<int:pk>/", running.study_page, name="study"),
    path("studies/<int:pk>/design/<slug:name>/", designing.step, name="step"),
    path("studies/<int:pk>/follows/<slug:name>/", designing.follows, name="follows"),
    path("studies/<int:pk>/power/", designing.power, name="power"),
    path("studies/<int:pk>/copy/", designing.copy, name="copy"),
    path("studies/<int:pk>/delete/", designing.delete, name="delete"),
    path("studies/<int:pk>/freeze/", designing.freeze, name="freeze"),
    path("studies/<int:pk>/plan.json", designing.registration_file, name="registration"),
    path("studies/<int:pk>/to/<slug:change>/", running.change_state, name="change-state"),
    path("studies/<int:pk>/amend/", running.amend, name="amend"),
    path("studies/<int:pk>/preview/<slug:page>/", running.preview, name="preview"),
    path("studies/<int:pk>/participants/", running.participant_list, name="participants"),
    path("studies/<int:pk>/participants/invite/", running.invite, name="invite"),
    path(
        "studies/<int:pk>/participants/<slug:pseudonym>/",
        running.participant_page,
        name="participant",
    ),
    path("studies/<int:pk>/pay/", paying.pay, name="pay"),
    path("studies/<int:pk>/pay/<int:number>.csv", paying.pay_file, name="pay-file"),
    path("studies/<int:pk>/report-again/", running.report_again, name="report-again"),
    path("studies/<int:pk>/crowd/", running.crowd, name="crowd"),
    path("studies/<int:pk>/tasks/<slug:kind>/", running.task_list, name="tasks"),
    path("studies/<int:pk>/tasks/<slug:kind>/<int:number>/", running.task_page, name="study-task"),
    path("studies/<int:pk>/export/<slug:name>.<slug:form>", running.export, name="export"),
    # Participants: their addresses tell nothing but the study's code.
    path("take/<str:code>/", taking.arrive, name="arrive"),
    path("take/<str:code>/consent/", taking.consent, name="consent"),
    path("take/<str:code>/instructions/", taking.instructions, name="instructions"),
    path("take/<str:code>/screening/", entering.screening, name="screening"),
    path("take/<str:code>/training/", entering.training, name="training"),
    path("take/<str:code>/task/", taking.task, name="task"),
    path("take/<str:code>/draft/", taking.draft, name="draft"),
    path("take/<str:code>/undo/", taking.undo, name="undo"),
    path("take/<str:code>/finish/", taking.finish, name="finish"),
    path("take/<str:code>/leave/", taking.leave, name="leave"),
    path("take/<str:code>/done/", taking.done, name="done"),
]
