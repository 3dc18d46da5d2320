"""Sign-in with allauth: what we change of it, second factors that roles need, and OpenID Connect."""
