"""Settings, read top to bottom. Environment variables differ between machines: docs/reference/settings.md."""

import os
from pathlib import Path

from csp.constants import NONE, SELF

from evalsite.environment import (
    env_bool,
    env_cache,
    env_choice,
    env_database,
    env_folder,
    env_github,
    env_int,
    env_limits,
    env_list,
    env_openid,
    env_redis,
    env_secret_key,
    env_text,
    warn_of_misspelt_names,
)

# templates/ and static/ lie at the top of a checkout, and in this package once it is installed from a wheel
PACKAGE_DIR = Path(__file__).resolve().parent
IS_CHECKOUT = not (PACKAGE_DIR / "templates").exists()
BASE_DIR = PACKAGE_DIR.parent if IS_CHECKOUT else PACKAGE_DIR
DATA_DIR = env_folder("EVENHAND_DATA", default=BASE_DIR / "var" if IS_CHECKOUT else Path("~/.local/share/evenhand"))
os.environ["EVENHAND_DATA"] = str(DATA_DIR)  # the engine, which knows no settings, keeps models there

# Secrets and hosts
DEBUG = env_bool("DEBUG", default=False)
SECRET_KEY = env_secret_key(DATA_DIR, embedded=not env_text("DATABASE_URL"))
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", default=[])
HTTPS = env_bool("HTTPS", default=False)
PROXY_COUNT = env_int("PROXY_COUNT", default=int(HTTPS), least=0)

# What the building is made of
INSTALLED_APPS = [
    "judging",
    "rankings",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.github",
    "axes",
    "django_filters",
    "django_htmx",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # finds our own templates of widgets
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "judging.web.limits.refused_bodies.refuse_large_bodies",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "judging.web.authentication.know_who_asks",
    "judging.web.authentication.note_last_seen",
    "judging.web.accounts.second_factor.SecondFactorAsked",
    "axes.middleware.AxesMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "judging.web.limits.refused_bodies.NullCharactersRefused",
    "rankings.record_states.read_states_once",
]
ROOT_URLCONF = "evalsite.urls"
WSGI_APPLICATION = "evalsite.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": [
                "django.contrib.humanize.templatetags.humanize",
                "django.templatetags.static",
                *(f"judging.templatetags.{name}" for name in ("browsers", "numbers", "page_parts", "shown_texts")),
                *(f"rankings.templatetags.{name}" for name in ("figures", "paper")),
            ],
        },
    }
]

# Data
CACHES = {"default": env_cache(env_redis("REDIS_URL"), folder=DATA_DIR / "cache")}
DATABASES = {"default": env_database(env_text("DATABASE_URL"), embedded=DATA_DIR / "db.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MAX_UPLOAD_BYTES = env_int("MAX_UPLOAD_MB", default=1_000) * 2**20
DATASETS_BYTES = env_int("DATASETS_MB", default=0, least=0) * 2**20  # of one person; 0: any
TEMPORARY_DIR = DATA_DIR / "temporary"  # of the web server, for uploads and downloads under way
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000  # the mapping of a table has two fields a column

# Accounts
AUTH_USER_MODEL = "judging.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["judging.web.authentication.Argon2", "django.contrib.auth.hashers.PBKDF2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
] + [{"NAME": "judging.services.accounts.api_tokens.TokensEnd"}]
KNOX_TOKEN_MODEL = "judging.ApiToken"
MIGRATION_MODULES = {"knox": None}  # our table replaces its only one
PASSWORD_RESET_TIMEOUT = 7 * 24 * 3600  # seconds; of links by which people choose a password
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "account_login", "home", "account_login"
ACCOUNT_ADAPTER = "judging.web.accounts.sign_in.SignIn"
USERSESSIONS_ADAPTER = "judging.web.accounts.sign_in.Sessions"
ACCOUNT_FORMS = {
    "login": "judging.forms.people.SignInForm",
    "change_password": "judging.forms.people.NewPasswordForm",
    "reset_password": "judging.forms.people.LostPasswordForm",
    "reset_password_from_key": "judging.forms.people.PasswordChoiceForm",
}
ACCOUNT_LOGIN_METHODS, ACCOUNT_SIGNUP_FIELDS = {"username"}, ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION, ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = "none", False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "judging.services.accounts.account_changes.LinkTokens"
ACCOUNT_RATE_LIMITS = {"login": None, "login_failed": "5/5m/key"}  # axes counts passwords, this wrong codes
AXES_HANDLER = "judging.web.authentication.SignInAttempts"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE = "judging.web.limits.clients.address_of"
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ACCESS_FAILURE_LOG = True  # admins see how often the sign-in of an account failed
AXES_LOCKOUT_TEMPLATE = "account/locked.html"

# Second factors: codes of an app, security keys and passkeys, and codes to print
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {
    "authenticate": "judging.forms.people.SecondFactorForm",
    "authenticate_webauthn": "judging.forms.people.SecondFactorKeyForm",
}
MFA_TOTP_ISSUER, MFA_TOTP_TOLERANCE = "Evenhand", 1  # the code before and the one after count too
ROLE_NAMES = ("researcher", "annotator", "admin")
SECOND_FACTOR_ROLES = env_list("SECOND_FACTOR_ROLES", default=[], choices=ROLE_NAMES)

# Sign-in by OpenID Connect, and by GitHub, which has a way of its own
SOCIALACCOUNT_ADAPTER = "judging.web.accounts.sign_in.OpenIdSignIn"
SOCIALACCOUNT_LOGIN_ON_GET = True  # our policy for forms would refuse a form that leads to another site
SOCIALACCOUNT_EMAIL_VERIFICATION, SOCIALACCOUNT_QUERY_EMAIL = "none", True
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "APPS": env_openid(env_list("OIDC_PROVIDERS", default=["OIDC"]), roles=ROLE_NAMES),
        "OAUTH_PKCE_ENABLED": True,
    },
    "github": env_github(),
}

# Public keys with which Prolific signs links: an address, or a file for a site without internet
PROLIFIC_KEYS = env_text("PROLIFIC_KEYS", default="https://api.prolific.com/.well-known/study/jwks.json")

# What a browser may do
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_ENGINE = "judging.web.sessions"
SESSION_COOKIE_AGE = env_int("SESSION_DAYS", default=14) * 24 * 3600
ACTIVITY_DAYS = env_int("ACTIVITY_DAYS", default=365)
REASONING_DAYS = env_int("REASONING_DAYS", default=0, least=0)
if HTTPS:  # browsers accept this prefix from the site itself alone, and over HTTPS alone
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
PERMISSIONS_POLICY: dict[str, list[str]] = {
    name: [] for name in ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
}
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# Files of ours and of packages: compressed in STATIC_ROOT, else served from where they are
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "evalsite.plotly_file.PlotlyFinder",
]
STATIC_ROOT = env_text("STATIC_ROOT") or None
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "evalsite.compressed_static.CompressedStaticStorage"
        if STATIC_ROOT
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
MEDIA_ROOT = DATA_DIR / "uploads"

# The documentation, built from docs/ with the package
DOCS_DIR = BASE_DIR / "site" if IS_CHECKOUT else PACKAGE_DIR / "docs_site"

# Language and time
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

# The task queue: Redis where it is given, folders on this machine otherwise. Our own rows are the results.
REDIS_URL = env_redis("REDIS_URL")
CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost/"
CELERY_BROKER_TRANSPORT = f"evalsite.{'redis_transport:Redis' if REDIS_URL else 'folder_transport:Folder'}Transport"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "global_keyprefix": "evenhand:",  # other programs may use the same database
        "priority_steps": list(range(10)),
        "visibility_timeout": 600,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
    }
    if REDIS_URL
    else {
        "data_folder_in": str(DATA_DIR / "broker" / "queue"),
        "data_folder_out": str(DATA_DIR / "broker" / "queue"),
        "control_folder": str(DATA_DIR / "broker" / "control"),
        "processed_folder": str(DATA_DIR / "broker" / "processed"),
        "store_processed": False,
        "polling_interval": 0.1,
    }
)

# Judging: the queue of judges whose device is "auto", how long silent work is left alone, how often lost work is
# sought, after how long without work a worker lets go of a judge, and which library multiplies matrices on a CPU
JUDGE_QUEUE = env_choice("JUDGE_QUEUE", default="default", choices=("default", "gpu"))
LEASE_SECONDS = env_int("LEASE_SECONDS", default=30)
BATCH_POLL_SECONDS = env_int("BATCH_POLL_SECONDS", default=30)
SWEEP_SECONDS = env_int("SWEEP_SECONDS", default=30)
TRIM_SECONDS = 3600
ENGINE_IDLE_MINUTES = env_int("ENGINE_IDLE_MINUTES", default=10)
RUN_WEBHOOK = env_text("RUN_WEBHOOK")  # gets a JSON object when a run has ended
MATRIX_PRODUCTS = env_choice("MATRIX_PRODUCTS", default="measured", choices=("measured", "torch", "oneDNN"))

# Hosts that endpoints added by page or API may have; the command line may name any other
ENDPOINT_HOSTS = env_list("ENDPOINT_HOSTS", default=[] if env_text("DATABASE_URL") else ["localhost", "127.0.0.1"])

# Requests and tokens that a key, and each person, may use a day at endpoints
ENDPOINT_LIMITS = env_limits("ENDPOINT_LIMITS")

# Whence researchers may add judges; admins and commands add any
RESEARCHERS_ADD = env_list("RESEARCHERS_ADD", default=["endpoint", "folder", "hub"])

# Figures for Prometheus: what it must send to read /metrics, and where its library finds the numbers of all processes
METRICS_TOKEN = env_text("METRICS_TOKEN")
METRICS_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
if METRICS_TOKEN:
    MIDDLEWARE.insert(0, "judging.web.watching.metrics.measure_requests")

# HTTP API
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "judging.web.authentication.SeenTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["judging.web.limits.clients.RequestRate"],
    "DEFAULT_THROTTLE_RATES": {"user": f"{env_int('API_REQUESTS_A_MINUTE', default=6_000)}/min"},
    "NUM_PROXIES": PROXY_COUNT,
    "DEFAULT_PARSER_CLASSES": [
        "judging.web.api_json.WellFormedJSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "judging.web.paging.ApiPages",
    "DEFAULT_FILTER_BACKENDS": ["judging.web.api_input.StrictFilters"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_METADATA_CLASS": None,  # the OpenAPI document describes each address
    "EXCEPTION_HANDLER": "judging.web.api_errors.exception_handler",
    "PAGE_SIZE": 100,
    "STRICT_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Evenhand",
    "DESCRIPTION": "Datasets, runs of LLM judges, comparisons, human votes and the figures computed from them.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "judging.web.api_schema.document_refusals",
    ],
    "ENUM_NAME_OVERRIDES": {
        "AskedMethodEnum": "evenhand.prompting.methods.METHODS",
        "AnswerProblemEnum": "judging.models.AnswerProblem.choices",
        "SelectionEnum": "judging.services.plans.selection_settings.SELECTION_RULES",
        "CampaignKindEnum": "judging.models.labelling.campaigns.CampaignKind.choices",
        "FirstStateEnum": "judging.services.campaigns.campaign_setup.FIRST_STATES.items",
        "GateStateEnum": [("passed", "passed"), ("failed", "failed"), ("undecided", "undecided")],
        "RaterKindEnum": [("human", "human"), ("judge", "judge")],
        "RunEventKindEnum": "judging.models.run_events.KINDS_OF_EVENTS",
        "TrainingChoiceEnum": "judging.models.Choice.choices",
        "VoteChoiceEnum": "judging.models.labelling.votes.EVERY_CHOICE",
    },
    "SWAGGER_UI_SETTINGS": {
        "deepLinking": False,  # links inside of buttons cannot be reached by keyboard
        "docExpansion": "none",  # with 150 open rows Swagger draws only what is in view, and nobody can search the rest
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# Mail to admins about errors, and links for a new password; without a host or an address there is none
EMAIL_HOST = env_text("EMAIL_HOST")
EMAIL_PORT = env_int("EMAIL_PORT", default=25)
EMAIL_HOST_USER = env_text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env_text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env_bool("EMAIL_USE_TLS", default=False)
EMAIL_TIMEOUT = 10  # seconds
SERVER_EMAIL = DEFAULT_FROM_EMAIL = env_text("SERVER_EMAIL", default="evenhand@localhost")
ADMINS = [(address, address) for address in env_list("ADMINS", default=[])]

# Log lines to standard error, and errors to admins
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "lines": {
            "()": "evalsite.log_lines.AsLine",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
        "json": {"()": "evalsite.log_lines.AsJson"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": env_choice("LOG_FORMAT", default="lines", choices=("lines", "json")),
        },
        "mail": {"class": "django.utils.log.AdminEmailHandler", "level": "ERROR"},
    },
    "root": {
        "handlers": ["stderr", "mail"] if EMAIL_HOST and ADMINS else ["stderr"],
        "level": env_choice("LOG_LEVEL", default="WARNING", choices=LOG_LEVELS),
    },
    "loggers": {
        name: {"level": env_choice("LOG_LEVEL", default="INFO", choices=LOG_LEVELS)}
        for name in ("evalsite", "evenhand", "judging", "rankings")
    }
    # Each would write a line for every request: one that waits for a thread, and one to an endpoint
    | {"waitress.queue": {"level": "ERROR"}, "httpx": {"level": "WARNING"}}
    | {"django": {"handlers": [], "level": "INFO"}},  # its own would send each mail twice
}

warn_of_misspelt_names()
