import { OPERATOR_ROLES, type OperatorRole } from "@holdfast/contracts";
import { decodeJwt } from "jose";
import { connectBus, serve, type ServeOptions } from "@holdfast/messaging";

/** Takes the place of a service, which is another process: answers these commands until it is stopped. */
export async function serveCommands(natsUrl: string, service: string, handlers: ServeOptions["handlers"]) {
  const bus = await connectBus({ url: natsUrl, name: `test-${service}` });
  const serving = await serve(bus, {
    service,
    permits: { external: 1_000, local: 1_000 },
    // The test is about the sender: every token is believed.
    operators: {
      async verify(token) {
        const { sub = "", roles } = decodeJwt<{ roles: OperatorRole[] }>(token);
        return {
          subject: sub,
          person: sub,
          roles: new Set(OPERATOR_ROLES.filter((role) => roles.includes(role))),
        };
      },
      async onForbidden() {},
    },
    onHandled: () => {},
    handlers,
  });
  return {
    bus,
    async stop(): Promise<void> {
      await serving.stop(0);
      await bus.close(1_000);
    },
  };
}
