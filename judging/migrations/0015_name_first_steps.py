"""What was written before is kept under prompt and attribute, as it was, and used by the runs that were there.

Two attributes may have had texts of their own written where the question was the same: none of them is lost.
"""

import hashlib
import json

from django.db import migrations


def sha256_of(*parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def name_texts(apps, schema_editor):
    Reasoning, ContextMetrics = (apps.get_model('judging', name) for name in ('Reasoning', 'ContextMetrics'))
    key = ('prompt', 'attribute', 'max_new_tokens', 'metrics_sha256')
    for one in Reasoning.objects.order_by().values_list(*key).distinct():
        Reasoning.objects.filter(**dict(zip(key, one))).update(question_sha256=sha256_of(*one))
    key = ('attribute', 'prompt_sha256')
    for one in ContextMetrics.objects.order_by().values_list(*key).distinct():
        ContextMetrics.objects.filter(**dict(zip(key, one))).update(question_sha256=sha256_of(*one))


def name_runs(apps, schema_editor):
    Run = apps.get_model('judging', 'Run')
    for run in Run.objects.exclude(prompt=None).only('prompt', 'attribute', 'spec').iterator():
        tokens = run.spec.get('method', {}).get('max_new_tokens')
        metrics = metrics_sha256_of(run.spec)
        if tokens:
            run.reasoning_sha256 = sha256_of(run.prompt_id, run.attribute_id, tokens, metrics)
        if metrics:
            run.metrics_sha256 = sha256_of(run.attribute_id, metrics)
        if tokens or metrics:
            run.save(update_fields=['reasoning_sha256', 'metrics_sha256'])


def metrics_sha256_of(spec):
    """As rows had it until now."""
    if 'metrics' not in spec:
        return ''
    canonical = json.dumps(spec['metrics'], sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0014_first_step_hashes'),
    ]

    operations = [
        migrations.RunPython(name_texts, migrations.RunPython.noop),
        migrations.RunPython(name_runs, migrations.RunPython.noop),
    ]
