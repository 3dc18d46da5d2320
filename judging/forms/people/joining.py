"""Forms of people who join a campaign: a new account, and consent."""

from django import forms


class RegistrationForm(forms.Form):
    """An account that a person creates to join a campaign."""

    name = forms.CharField(
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
        help_text="You sign in with it. Reports never show it.",
    )
    password = forms.CharField(
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least eight characters.",
    )
    password_again = forms.CharField(
        label="Password again", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )

    def clean_password_again(self) -> str:
        again: str = self.cleaned_data["password_again"]
        if again != self.cleaned_data.get("password", again):
            raise forms.ValidationError("The two passwords differ.")
        return again


class ConsentForm(forms.Form):
    """The version that an annotator accepts."""

    version = forms.IntegerField(min_value=1)
