from django.db import migrations
from django.db.models import Count, Max, Q

CHECKS = ("gold", "repeat")


def free_places(apps, schema_editor):
    """Give the places of votes back that were excluded before, so that others are asked."""
    Assignment, CampaignPair = (apps.get_model("judging", name) for name in ("Assignment", "CampaignPair"))
    excluded = Assignment.objects.filter(Q(vote__excluded=True) | Q(rating__excluded=True), status="voted")
    freed = excluded.filter(has_place=True).exclude(purpose__in=CHECKS)
    pairs = set(freed.values_list("pair", flat=True))
    freed.update(has_place=False)
    taken = Count("assignments", filter=Q(assignments__has_place=True) & ~Q(assignments__purpose__in=CHECKS))
    for pair in CampaignPair.objects.filter(pk__in=pairs).exclude(purpose="gold").annotate(taken=taken):
        pair.places = max(0, pair.campaign.votes_per_pair - pair.taken)
        pair.turn = pair.campaign.participations.aggregate(turn=Max("turn"))["turn"] or 0
        pair.save(update_fields=["places", "turn"])


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0002_excluded_votes_give_up_places'),
    ]

    operations = [migrations.RunPython(free_places, migrations.RunPython.noop)]
