"""How forms look: ``{{ form }}`` in any template gives labelled fields with help and errors."""

from __future__ import annotations

from django.forms.renderers import TemplatesSetting


class FormRenderer(TemplatesSetting):
    """Forms from templates/components; the admin has templates of its own."""

    form_template_name = "components/form.html"
    field_template_name = "components/field.html"
