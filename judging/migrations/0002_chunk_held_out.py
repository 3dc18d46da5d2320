from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='chunk',
            name='held_out',
            field=models.JSONField(blank=True, default=list, help_text='Those of the pairs that are drawn at random beside an adaptive choice, which does not look at them.'),
        ),
        migrations.AlterField(
            model_name='chunk',
            name='pairs',
            field=models.JSONField(help_text='What is asked, as far as it is drawn: [[first, second], …], candidate ids. An adaptive choice adds to it, round by round.'),
        ),
    ]
