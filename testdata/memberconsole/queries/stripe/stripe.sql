-- name: UpsertInvoice :exec
INSERT INTO stripe.invoices (invoice_id, subscription_id, status, total_cents)
VALUES (sqlc.arg(invoice_id), sqlc.narg(subscription_id), sqlc.arg(status), sqlc.arg(total_cents))
ON CONFLICT (invoice_id) DO UPDATE SET status = EXCLUDED.status, total_cents = EXCLUDED.total_cents;

-- name: DeleteInvoiceLines :execrows
DELETE FROM stripe.invoice_lines
WHERE invoice_id = sqlc.arg(invoice_id);

-- name: InsertInvoiceLine :exec
INSERT INTO stripe.invoice_lines (invoice_id, line_no, description, amount_cents)
VALUES (sqlc.arg(invoice_id), sqlc.arg(line_no), sqlc.arg(description), sqlc.arg(amount_cents));

-- name: UpsertPayment :exec
INSERT INTO stripe.payments (payment_id, invoice_id, amount_cents)
VALUES (sqlc.arg(payment_id), sqlc.arg(invoice_id), sqlc.arg(amount_cents))
ON CONFLICT (payment_id) DO NOTHING;

-- name: ListOpenInvoices :many
SELECT invoice_id FROM stripe.invoices
WHERE status = 'open'
ORDER BY invoice_id;

-- name: GetProductMapping :one
SELECT product_id, stripe_product_id, status FROM stripe.product_mappings
WHERE product_id = sqlc.arg(product_id);

-- name: InsertPendingProduct :exec
INSERT INTO stripe.product_mappings (product_id) VALUES (sqlc.arg(product_id));

-- name: ListPriceMappings :many
SELECT amount_cents, status FROM stripe.price_mappings
WHERE product_id = sqlc.arg(product_id)
ORDER BY amount_cents;

-- name: InsertPendingPrice :exec
INSERT INTO stripe.price_mappings (product_id, amount_cents)
VALUES (sqlc.arg(product_id), sqlc.arg(amount_cents));

-- name: EnqueueCatalogChange :exec
INSERT INTO stripe.outbox (product_id, action)
VALUES (sqlc.arg(product_id), sqlc.arg(action));
