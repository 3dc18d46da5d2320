from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0015_name_first_steps'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='contextmetrics',
            name='metrics_once_per_context',
        ),
        migrations.RemoveConstraint(
            model_name='reasoning',
            name='reasoning_once_per_candidate',
        ),
        migrations.RemoveConstraint(
            model_name='reasoning',
            name='reasoning_once_beforehand',
        ),
        migrations.RemoveConstraint(
            model_name='reasoning',
            name='reasoning_once_per_pair',
        ),
        migrations.RemoveField(
            model_name='contextmetrics',
            name='attribute',
        ),
        migrations.RemoveField(
            model_name='contextmetrics',
            name='prompt_sha256',
        ),
        migrations.RemoveField(
            model_name='reasoning',
            name='attribute',
        ),
        migrations.RemoveField(
            model_name='reasoning',
            name='metrics_sha256',
        ),
        migrations.RemoveField(
            model_name='reasoning',
            name='prompt',
        ),
        migrations.AddIndex(
            model_name='reasoning',
            index=models.Index(fields=['judge', 'question_sha256'], name='reasoning_by_question'),
        ),
        migrations.AddConstraint(
            model_name='contextmetrics',
            constraint=models.UniqueConstraint(fields=('judge', 'question_sha256', 'temperature', 'seed', 'context'), name='metrics_once_per_context'),
        ),
        migrations.AddConstraint(
            model_name='reasoning',
            constraint=models.UniqueConstraint(condition=models.Q(('second', None)), fields=('judge', 'question_sha256', 'temperature', 'seed', 'candidate'), name='reasoning_once_per_candidate'),
        ),
        migrations.AddConstraint(
            model_name='reasoning',
            constraint=models.UniqueConstraint(condition=models.Q(('candidate', None)), fields=('judge', 'question_sha256', 'temperature', 'seed'), name='reasoning_once_beforehand'),
        ),
        migrations.AddConstraint(
            model_name='reasoning',
            constraint=models.UniqueConstraint(condition=models.Q(('second__isnull', False)), fields=('judge', 'question_sha256', 'temperature', 'seed', 'candidate', 'second'), name='reasoning_once_per_pair'),
        ),
    ]
