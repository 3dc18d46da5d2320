
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0018_forecast_requests'),
    ]

    operations = [
        migrations.AlterField(
            model_name='prompt',
            name='method',
            field=models.CharField(choices=[('comparative', 'Comparative'), ('pairwise', 'Pairwise'), ('cot', 'chain of thought'), ('prepair', 'PRePair'), ('prepair-star', 'PRePair*'), ('scoring', 'Scoring'), ('pointwise', 'Pointwise'), ('geval', 'G-Eval'), ('unieval', 'UniEval'), ('gptscore', 'GPTScore'), ('metric', 'Metric'), ('metrics', 'self-generated metrics')], max_length=30),
        ),
    ]
