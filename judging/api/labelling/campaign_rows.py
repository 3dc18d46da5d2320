"""A campaign as JSON: its settings, its progress, its guidelines, and other campaigns that share its pairs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evenhand.report_json import as_json
from judging.models import Campaign, GuidelinesText, User
from judging.models.labelling.answer_rules import ANSWER_RULES
from judging.services.campaign_pairs.rating_scales import RatingScale, own_scales
from judging.services.campaigns.campaign_changes import describe_growth
from judging.services.campaigns.guidelines import guidelines_versions
from judging.services.campaigns.overlaps import Overlap, find_overlaps
from judging.web.report_serializers import serializer_of


class CampaignSelectionSerializer(serializers.Serializer[Any]):
    """How the pairs were chosen. rule: the selection. random_share: share of random pairs, which are held out.

    runs: numbers of the runs whose answers chose the pairs.
    """

    rule = serializers.CharField(default="")
    pairs_per_context = serializers.IntegerField(allow_null=True, default=None)
    contexts = serializers.IntegerField(allow_null=True, default=None)
    pair_limit = serializers.IntegerField(allow_null=True, default=None)
    random_share = serializers.FloatField(default=0.0)
    runs = serializers.ListField(child=serializers.IntegerField(), default=list)


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    """A campaign. pairs, votes: their numbers. votes_planned: all votes that the campaign needs."""

    dataset = serializers.CharField(source="dataset.name")
    attribute = serializers.SerializerMethodField(help_text="Of a campaign with one attribute, else null.")
    question = serializers.SerializerMethodField(help_text="Its own question; empty with several attributes.")
    attributes = serializers.SerializerMethodField(help_text="Names, in the order asked.")
    questions = serializers.SerializerMethodField(help_text="Attribute -> own question; empty for that of prompts.")
    scales = serializers.SerializerMethodField(help_text="Attribute -> scale of its ratings; empty for pairs.")
    annotators: serializers.SlugRelatedField[User] = serializers.SlugRelatedField("username", many=True, read_only=True)
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    pairs = serializers.IntegerField(source="pair_count")
    votes = serializers.IntegerField(source="votes_done")
    votes_planned = serializers.IntegerField()
    pair_choice = CampaignSelectionSerializer()
    first_round = serializers.CharField(
        source="first_round.name",
        default=None,
        allow_null=True,
        help_text="Campaign whose disputed pairs it asks.",
    )
    growth = serializers.SerializerMethodField(help_text="A sentence for each time it asked for more while it ran.")
    state = serializers.CharField(help_text="draft, open, paused or closed; closed after the deadline.")

    class Meta:
        model = Campaign
        fields = [
            *("id", "kind", "name", "dataset", "attribute", "question", "attributes", "questions", "scales"),
            "guidelines",
            *ANSWER_RULES,
            *("text_format", "allow_repeats", "votes_per_pair", "seed", "annotators", "created_by"),
            *("created_at", "pairs", "votes", "votes_planned", "pair_choice", "first_round", "state"),
            *("deadline", "wanted_width", "most_skips", "most_cannot_judge", "growth"),
        ]

    def get_attribute(self, campaign: Campaign) -> str | None:
        return campaign.only_attribute

    def get_question(self, campaign: Campaign) -> str:
        questions = list(campaign.own_questions().values())
        return questions[0] if len(questions) == 1 else ""

    def get_growth(self, campaign: Campaign) -> list[str]:
        return describe_growth(campaign)

    def get_attributes(self, campaign: Campaign) -> list[str]:
        return list(campaign.own_questions())

    def get_questions(self, campaign: Campaign) -> dict[str, str]:
        return campaign.own_questions()

    @extend_schema_field(serializers.DictField(child=serializer_of(RatingScale)()))
    def get_scales(self, campaign: Campaign) -> dict[str, Any]:
        return dict(as_json(own_scales(campaign)))


class GuidelinesTextSerializer(serializers.ModelSerializer[GuidelinesText]):
    """A version of the guidelines. digest: its name in exported votes. votes: given under it."""

    digest = serializers.CharField()
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    votes = serializers.IntegerField(source="vote_count")

    class Meta:
        model = GuidelinesText
        fields = ["version", "digest", "text", "created_by", "created_at", "votes"]


class CampaignDetailSerializer(CampaignSerializer):
    """A campaign. overlaps: the other campaigns that share pairs with it. guidelines_versions: the latest first."""

    overlaps = serializers.SerializerMethodField()
    guidelines_versions = serializers.SerializerMethodField()

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "overlaps", "guidelines_versions"]

    @extend_schema_field(GuidelinesTextSerializer(many=True))
    def get_guidelines_versions(self, campaign: Campaign) -> list[dict[str, Any]]:
        return [GuidelinesTextSerializer(version).data for version in guidelines_versions(campaign)]

    @extend_schema_field(serializer_of(Overlap)(many=True))
    def get_overlaps(self, campaign: Campaign) -> list[dict[str, Any]]:
        return list(as_json(find_overlaps(campaign)))
