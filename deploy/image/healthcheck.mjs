// HEALTHCHECK of every image: exits 0 while HEALTH_PATH of this container answers 200, with no tool but node.
const url = `http://127.0.0.1:${process.env.HEALTH_PORT}${process.env.HEALTH_PATH}`;
const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
process.exit(response?.status === 200 ? 0 : 1);
