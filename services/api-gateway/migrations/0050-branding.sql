-- How a merchant's pages for buyers look: name, colour, logo. A gateway of the version before leaves it as it is.
alter table merchant add column branding jsonb
  check (branding is null or (jsonb_typeof(branding) = 'object' and octet_length(branding::text) <= 65536));

grant select (branding) on merchant to gateway_public, gateway_staff;
grant update (branding) on merchant to gateway_operator, gateway_app;
