from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0003_judge_prices'),
    ]

    operations = [
        migrations.AlterField(
            model_name='chunk',
            name='pairs',
            field=models.JSONField(help_text='What is asked, as far as it is drawn: [[first, second], …], candidate ids; of a scoring run [[candidate], …]. An adaptive choice adds to it, round by round.'),
        ),
        migrations.AlterField(
            model_name='prompt',
            name='label_first',
            field=models.CharField(blank=True, help_text='For scores, the lowest.', max_length=50),
        ),
        migrations.AlterField(
            model_name='prompt',
            name='label_second',
            field=models.CharField(blank=True, help_text='For scores, the highest.', max_length=50),
        ),
        migrations.AlterField(
            model_name='prompt',
            name='method',
            field=models.CharField(choices=[('comparative', 'Comparative'), ('pairwise', 'Pairwise'), ('cot', 'chain of thought'), ('prepair', 'PRePair'), ('prepair-star', 'PRePair*'), ('scoring', 'Scoring'), ('pointwise', 'Pointwise')], max_length=30),
        ),
        migrations.AlterField(
            model_name='prompt',
            name='reasoning_template',
            field=models.TextField(blank=True, help_text='What is asked in a first step: about each candidate alone, or about the pair.'),
        ),
        migrations.AlterField(
            model_name='run',
            name='reasonings_planned',
            field=models.PositiveIntegerField(default=0, help_text='Texts that the method has the judge write first, about candidates alone or pairs; 0 where it does not.'),
        ),
        migrations.AddField(
            model_name='reasoning',
            name='second',
            field=models.ForeignKey(blank=True, help_text='Shown after the candidate; empty where it was shown alone.', null=True, on_delete=models.CASCADE, related_name='+', to='judging.candidate'),
        ),
        migrations.RemoveConstraint(
            model_name='reasoning',
            name='reasoning_once_per_candidate',
        ),
        migrations.AddConstraint(
            model_name='reasoning',
            constraint=models.UniqueConstraint(condition=models.Q(('second', None)), fields=('judge', 'prompt', 'attribute', 'candidate', 'max_new_tokens'), name='reasoning_once_per_candidate'),
        ),
        migrations.AddConstraint(
            model_name='reasoning',
            constraint=models.UniqueConstraint(condition=models.Q(('second__isnull', False)), fields=('judge', 'prompt', 'attribute', 'candidate', 'second', 'max_new_tokens'), name='reasoning_once_per_pair'),
        ),
    ]
