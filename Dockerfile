# Two images from one file: `web` without torch, `worker` with it.
FROM python:3.11-slim-bookworm AS web
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 STATIC_ROOT=/app/staticfiles EVENHAND_DATA=/data MALLOC_ARENA_MAX=1
WORKDIR /app
COPY requirements/web.txt requirements/web.txt
RUN pip install --requirement requirements/web.txt
COPY . .
RUN pip install --no-deps --editable . \
    && python -m compileall -q evalsite evenhand judging rankings \
    && SECRET_KEY=only-to-collect python manage.py collectstatic --noinput \
    && useradd --uid 10001 --home-dir /data --create-home evenhand
USER 10001
EXPOSE 8000
CMD ["evenhand", "serve", "--host", "0.0.0.0"]

FROM web AS worker
ENV MALLOC_ARENA_MAX=2
ARG TORCH_INDEX_URL=""
USER 0
COPY requirements/judge.txt requirements/metrics.txt requirements/
RUN grep '^torch==' requirements/judge.txt >torch.txt \
    && pip install ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"} --requirement torch.txt \
    && pip install --requirement requirements/judge.txt --requirement requirements/metrics.txt
USER 10001
CMD ["evenhand", "worker", "--queues", "default"]
