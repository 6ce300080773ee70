// Stands in for a service: answers the health check, onboards merchants where it plays the operator API, and
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
  const granted = request.method === "GET" ? 200 : 201;
  response.statusCode = request.headers.authorization?.startsWith("Bearer ") ? granted : 401;
  const merchant = {
    merchantId: crypto.randomUUID(),
    name: "Demo Shop",
    apiKey: "key",
    apiSecret: "shown-once",
  };
  const account = { accountId: "00000000-0000-8000-8000-000000000001", name: "Test mode", settings: {} };
  const isOfAccounts = request.url?.startsWith("/operator/acquirer-accounts") === true;
  const answer = request.method === "GET" ? { items: [] } : isOfAccounts ? account : merchant;
  response.end(JSON.stringify(answer));
});

function listen(port: string | undefined, listener: RequestListener): void {
  if (port) createServer(listener).listen(Number(port), "127.0.0.1");
}
