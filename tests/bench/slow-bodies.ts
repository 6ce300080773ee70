/**
 * A client whose bodies do not arrive, a process of its own: keeps `connections` requests under way that have sent one
 * byte of 500, and renews each that ends. Prints its port; a request there is answered with what has come of them.
 */
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

/** Under way now, and those that have ended by the status of their answer; `none` where there was no answer. */
export type SlowBodiesState = { underWay: number; ended: Record<string, number> };

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "" },
    headers: { type: "string", default: "{}" },
    connections: { type: "string", default: "512" },
  },
});

const target = new URL(values.url);
const lines = Object.entries({
  host: target.host,
  "content-type": "application/json",
  "content-length": "500",
  ...(JSON.parse(values.headers) as Record<string, string>),
}).map(([name, value]) => `${name}: ${value}\r\n`);
const beginning = `POST ${target.pathname} HTTP/1.1\r\n${lines.join("")}\r\n{`;
const state: SlowBodiesState = { underWay: 0, ended: {} };

for (let count = 0; count < Number(values.connections); count++) void client();
const control = createServer((_request, response) => response.end(JSON.stringify(state)));
control.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ port: (control.address() as AddressInfo).port })}\n`);
});

async function client(): Promise<never> {
  for (;;) {
    const status = await sendSlowly();
    state.ended[status] = (state.ended[status] ?? 0) + 1;
    // A server that refuses at once is not to be flooded: that would be another kind of neighbour.
    if (status !== CUT_OFF) await delay(REFUSED_PAUSE_MS);
  }
}

const CUT_OFF = "408";
const REFUSED_PAUSE_MS = 100;

/** @returns the status of the answer once the connection is closed. */
async function sendSlowly(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let [text, isUnderWay] = ["", false];
  const socket = connect(Number(target.port), target.hostname, () => {
    state.underWay++;
    isUnderWay = true;
    socket.write(beginning);
  });
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    text += String(chunk);
    socket.end();
  });
  // What is wrong shows in the close that follows.
  socket.on("error", () => {});
  socket.on("close", () => {
    if (isUnderWay) state.underWay--;
    resolve(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? "none");
  });
  return await promise;
}
