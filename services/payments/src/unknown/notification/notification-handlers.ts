import { refundNotified, takeBankNotification } from "@holdfast/contracts";
import { handler, publishNotice, type Bus } from "@holdfast/messaging";
import type { Logger } from "@holdfast/service-runtime";
import { createNotificationEvents } from "./notification-events.ts";
import { receiveNotification, type ReceiveNotificationDeps } from "./receive-notification.ts";

/** Notifications that banks send by themselves. */
export function notificationHandlers(
  deps: Omit<ReceiveNotificationDeps, "events" | "notifyRefunds"> & { bus: Bus; log: Logger },
) {
  const taking: ReceiveNotificationDeps = {
    ...deps,
    events: createNotificationEvents(deps.log, () => performance.now()),
    notifyRefunds: (refundId) => publishNotice(deps.bus, refundNotified, { refundId }),
  };
  return [handler(takeBankNotification, ({ payload }) => receiveNotification(taking, payload))];
}
