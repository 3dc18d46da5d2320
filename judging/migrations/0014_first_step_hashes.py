from django.db import migrations, models

QUESTION = {"max_length": 64, "help_text": "SHA-256 of what it was asked, but for the texts that it was shown."}


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0013_answers_checked_by_their_writer'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='reasoning_sha256',
            field=models.CharField(blank=True, default='', help_text='SHA-256 of what is asked in a first step, but for the texts; else empty.', max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='run',
            name='metrics_sha256',
            field=models.CharField(blank=True, default='', help_text='The same of what is asked for its own metrics; else empty.', max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='reasoning',
            name='question_sha256',
            field=models.CharField(default='', **QUESTION),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='contextmetrics',
            name='question_sha256',
            field=models.CharField(default='', **QUESTION),
            preserve_default=False,
        ),
    ]
