// In a container: passes connections to a port on to the same port of the machine that the container runs on.
import { connect, createServer } from "node:net";

const port = Number(process.argv[2]);
createServer((incoming) => {
  const outgoing = connect(port, "host.docker.internal");
  incoming.on("error", () => outgoing.destroy()).pipe(outgoing);
  outgoing.on("error", () => incoming.destroy()).pipe(incoming);
}).listen(port);
