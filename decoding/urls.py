from django.urls import path

from decoding.views import browser, corpora, jobs, playground, recipes, sharing, systems

app_name = "decoding"

urlpatterns = [
    path("corpora/", corpora.corpus_list, name="corpora"),
    path("corpora/add/", corpora.add_corpus, name="add-corpus"),
    path("corpora/<int:pk>/", corpora.corpus_page, name="corpus"),
    path("corpora/<int:pk>/delete/", corpora.delete_corpus, name="delete-corpus"),
    path("systems/", systems.system_list, name="systems"),
    path("systems/moses/", systems.add_moses, name="add-moses"),
    path("systems/external/", systems.add_external, name="add-external"),
    path("systems/<int:pk>/", systems.system_page, name="system"),
    path("systems/<int:pk>/upload/", systems.upload, name="upload"),
    path("systems/<int:pk>/lists/", systems.make_lists, name="make-lists"),
    path("systems/<int:pk>/delete/", systems.delete_system, name="delete-system"),
    path("recipes/", recipes.recipe_list, name="recipes"),
    path("recipes/<int:pk>/", recipes.recipe_page, name="recipe"),
    path("lists/", browser.all_lists, name="lists"),
    path("lists/<int:corpus>/<int:system>/", browser.browse, name="browse"),
    path("lists/<int:corpus>/<int:system>/<int:place>/", browser.compare, name="compare"),
    path("playground/", playground.playground, name="playground"),
    path("playground/recipe/", playground.make_recipe, name="make-recipe"),
    path("jobs/", jobs.job_list, name="jobs"),
    path("jobs/self-test/", jobs.self_test, name="self-test"),
    path("jobs/<int:pk>/", jobs.job_page, name="job"),
    path("jobs/<int:pk>/cancel/", jobs.cancel, name="job-cancel"),
    path("jobs/<int:pk>/retry/", jobs.retry, name="job-retry"),
    path("jobs/<int:pk>/again/", jobs.again, name="job-again"),
    path("share/<slug:kind>/<int:pk>/", sharing.share_page, name="share"),
    path("share/<slug:kind>/<int:pk>/stop/<int:share>/", sharing.stop_sharing, name="share-stop"),
]
