-- What a migration of Rails makes of create_table :devices, in PostgreSQL.
CREATE TABLE "devices" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint NOT NULL,
  "token" character varying NOT NULL,
  "platform" character varying NOT NULL,
  "bundle_id" character varying,
  "environment" character varying,
  "created_at" timestamp(6) without time zone NOT NULL,
  "updated_at" timestamp(6) without time zone NOT NULL,
  "unregistered_at" timestamp(6) without time zone
);
CREATE INDEX "index_devices_on_token" ON "devices" ("token");
