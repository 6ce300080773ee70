/**
 * Sends at the end of a turn of the event loop: the client writes to its socket once for all that is published without a
 * pause between, so that a busy process writes, the server reads, and the other side begins its work together.
 *
 * @returns resolves or is rejected as `send` is. Sends that were given earlier are with the client by then.
 */
export type SendByTurn = <Sent>(send: () => Sent | Promise<Sent>) => Promise<Sent>;

export function createSendByTurn(): SendByTurn {
  let gathered: (() => void)[] = [];
  const sendAll = () => {
    const sends = gathered;
    gathered = [];
    for (const send of sends) send();
  };
  return async (send) =>
    await new Promise((resolve) => {
      if (gathered.push(() => resolve(Promise.try(send))) === 1) setImmediate(sendAll);
    });
}
