"""The activity, for admins."""

from django_filters import rest_framework as filters
from rest_framework import generics, serializers

from judging.models import Act, Activity
from judging.models.activity import ActivityQuerySet
from judging.web.role_checks import AdminsOnly


class ActivitySerializer(serializers.ModelSerializer[Activity]):
    """One action. who: name of the account, `command line` or `visitor`."""

    who = serializers.CharField(source="who_name")

    class Meta:
        model = Activity
        fields = ["at", "who", "action", "on"]


class ActivityFilter(filters.FilterSet):
    text = filters.CharFilter(method="filter_text", help_text="Words in the name of the account or of the thing.")
    action = filters.ChoiceFilter(choices=Act.choices)

    def filter_text(self, rows: ActivityQuerySet, name: str, text: str) -> ActivityQuerySet:
        return rows.matching(text)


class ActivityList(generics.ListAPIView[Activity]):
    """Who did what, latest first."""

    serializer_class = ActivitySerializer
    filterset_class = ActivityFilter
    permission_classes = (AdminsOnly,)
    queryset = Activity.objects.matching()
