// Gateway API's resources, by the fields that our manifests and docs/kubernetes.md use.
// https://gateway-api.sigs.k8s.io/reference/spec/
import { z } from "zod";

/** A name as DNS has it, without a wildcard: of a host, or of a listener. */
const dnsName = z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
const port = z.int().min(1).max(65_535);
const duration = z.string().regex(/^(\d{1,5}(h|m|s|ms)){1,4}$/);
const GROUP = "gateway.networking.k8s.io";

export const httpRoute = z.strictObject({
  parentRefs: z
    .array(
      z.strictObject({
        group: z.literal(GROUP),
        kind: z.literal("Gateway"),
        namespace: z.string().optional(),
        name: z.string(),
        sectionName: dnsName.optional(),
      }),
    )
    .min(1),
  hostnames: z.array(dnsName).min(1).max(16),
  rules: z
    .array(
      z.strictObject({
        matches: z.array(
          z.strictObject({
            path: z.strictObject({
              type: z.enum(["Exact", "PathPrefix"]),
              value: z.string().startsWith("/"),
            }),
          }),
        ),
        timeouts: z
          .strictObject({ request: duration.optional(), backendRequest: duration.optional() })
          .optional(),
        backendRefs: z.array(
          z.strictObject({
            group: z.literal(""),
            kind: z.literal("Service"),
            name: z.string(),
            port,
            weight: z.int().min(0).max(1_000_000),
          }),
        ),
      }),
    )
    .min(1)
    .max(16),
});

const localReference = z.strictObject({ group: z.string(), kind: z.string(), name: z.string() });

export const backendTlsPolicy = z.strictObject({
  targetRefs: z
    .array(localReference.extend({ sectionName: dnsName.optional() }))
    .min(1)
    .max(16),
  validation: z.strictObject({
    hostname: dnsName,
    caCertificateRefs: z.array(localReference).min(1).max(8),
  }),
});

export const referenceGrant = z.strictObject({
  from: z
    .array(z.strictObject({ group: z.string(), kind: z.string(), namespace: z.string() }))
    .min(1)
    .max(16),
  to: z
    .array(z.strictObject({ group: z.string(), kind: z.string(), name: z.string().optional() }))
    .min(1)
    .max(16),
});

export const gateway = z.strictObject({
  gatewayClassName: z.string(),
  listeners: z
    .array(
      z.strictObject({
        name: dnsName,
        hostname: dnsName.optional(),
        port,
        protocol: z.enum(["HTTP", "HTTPS"]),
        tls: z
          .strictObject({
            mode: z.literal("Terminate").optional(),
            certificateRefs: z.array(z.strictObject({ name: z.string(), namespace: z.string().optional() })),
          })
          .optional(),
        allowedRoutes: z.strictObject({
          namespaces: z.strictObject({
            from: z.enum(["All", "Same", "Selector"]),
            selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }).optional(),
          }),
        }),
      }),
    )
    .min(1)
    .max(64),
});
