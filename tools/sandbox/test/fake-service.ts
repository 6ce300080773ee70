// Stands in for a service: answers the health check, onboards merchants where it is told to be the operator API, and
// shows the environment it was given. FAKE_FAULT makes the service of that name misbehave.
import { createServer, type RequestListener } from "node:http";

const { HEALTH_PORT, MERCHANT_API_PORT, OPERATOR_API_PORT, FAKE_EXIT, FAKE_DEAF } = process.env;
const name = MERCHANT_API_PORT ? "api-gateway" : OPERATOR_API_PORT ? "gateway-operator" : "payments";

if (FAKE_EXIT === name) {
  process.stderr.write("the fake cannot start\n");
  process.exit(1);
}
process.on("SIGTERM", () => {
  if (FAKE_DEAF !== name) process.exit(0);
});

listen(HEALTH_PORT, (_, response) => response.end());
listen(MERCHANT_API_PORT, (_, response) => response.end(JSON.stringify(process.env)));
listen(OPERATOR_API_PORT, (request, response) => {
  response.statusCode = request.headers.authorization?.startsWith("Bearer ") ? 201 : 401;
  const merchant = {
    merchantId: crypto.randomUUID(),
    name: "Demo Shop",
    apiKey: "key",
    apiSecret: "shown-once",
  };
  response.end(JSON.stringify(merchant));
});

function listen(port: string | undefined, listener: RequestListener): void {
  if (port) createServer(listener).listen(Number(port), "127.0.0.1");
}
