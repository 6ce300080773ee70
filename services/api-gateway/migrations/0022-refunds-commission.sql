-- Whether refunds give their part of the commission back, as the plan says; a gateway of the version before leaves it as it is.
alter table merchant add column refunds_commission boolean not null default true;

grant select (refunds_commission) on merchant to gateway_public;
grant insert (refunds_commission), update (refunds_commission) on merchant to gateway_operator, gateway_app;
