/**
 * A collector that takes everything and reads nothing, a process of its own. Prints its port; `GET /bytes` says how
 * much has come.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

let bytes = 0;
const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ bytes }));
    return;
  }
  request.on("data", (chunk: Buffer) => (bytes += chunk.length));
  request.on("end", () => response.writeHead(200, { "content-type": "application/x-protobuf" }).end());
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
