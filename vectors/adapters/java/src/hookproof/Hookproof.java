package hookproof;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies signed webhooks by the rules of SPEC.md, whose numbers the comments cite. This file does Paymos alone; Providers.java adds Stripe
 * and GitHub and can be left out. Needs jackson-core.
 */
public final class Hookproof {
    /** The default limit of a body in bytes. */
    public static final int MAX_BODY = 1 << 20;
    static final long MAX_SAFE = (1L << 53) - 1;

    /** Why a delivery is refused, or what is wrong with the configuration: a name of section 9. */
    public static final class Refused extends Exception {
        Refused(String reason) {
            super(reason, null, false, false);
        }
    }

    /** A header line; each character of the value is one byte (ISO-8859-1), as servers hand it over. */
    public record Header(String name, String value) {}

    /** What an accepted delivery says (section 7); null is what the provider or this delivery does not say. */
    public record Delivery(String timestamp, Matched matched, List<String> warnings, Event event) {}
    public record Matched(int secret, int signature) {}
    public record Event(String id, String type, Boolean idSigned, Boolean known, Long version, Long occurredAt, Resource resource) {}
    public record Resource(String kind, String id) {}

    /** One scheme: its signature header, whether a time is signed, the header of an unsigned copy of the id or null, and two readers. */
    public record Provider(String header, boolean timed, String idHeader, Reader reader, EventReader eventReader) {}
    interface Reader { Signed read(String value) throws Refused; }
    interface EventReader { Event read(Map<?, ?> envelope, List<Header> headers) throws Refused; }
    record Signed(String timestamp, List<byte[]> signatures) {}

    /** The scheme of SPEC.md. */
    public static final Provider PAYMOS = new Provider("x-webhook-signature", true, "x-webhook-id", Hookproof::readTimed, Hookproof::paymosEvent);

    private record Family(String prefix, String kind, String member, List<String> states) {}
    private static final List<Family> FAMILIES = List.of(
        new Family("invoice.", "invoice", "invoice_id", List.of("awaiting_payment", "confirming", "underpaid_waiting", "paid", "paid_over",
            "underpaid", "expired", "cancelled")),
        new Family("withdrawal.", "withdrawal", "withdrawal_id", List.of("created", "processing", "completed", "failed", "cancelled")),
        new Family("payment_channel.deposit.", "payment_channel_deposit", "id", List.of("confirming", "reorged", "confirmed")));

    private static final Pattern TIMESTAMP = Pattern.compile("0|[1-9][0-9]{0,11}");
    private static final Pattern SIGNATURE = Pattern.compile("[0-9A-Fa-f]{64}");

    /** The size of the body is limited before, so no name, text or number in it is too long (D16). */
    private static final JsonFactory JSON = JsonFactory.builder().disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
        .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(1000).maxNumberLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE).maxNameLength(Integer.MAX_VALUE).build()).build();

    /**
     * Judges one delivery in the order of section 2.
     *
     * @param body the bytes as received
     * @param now unix seconds, rounded down
     * @param tolerance seconds, null for the default of the provider
     */
    public static Delivery verify(Provider provider, List<Header> headers, byte[] body, List<byte[]> secrets, long now, Long tolerance,
            int maxBody) throws Refused {
        checkSecrets(secrets);
        refuse(tolerance != null && (tolerance < 0 || !provider.timed), "tolerance_invalid");
        String value = header(headers, provider.header);
        refuse(value == null || trim(value).isEmpty(), "header_missing");
        Signed signed = provider.reader.read(value);
        if (provider.timed) {
            long age = now - Long.parseLong(signed.timestamp), limit = tolerance == null ? 300 : tolerance;
            refuse(age > limit, "timestamp_too_old");
            refuse(-age > limit, "timestamp_too_new");
        }
        refuse(body.length > maxBody, "body_too_large");
        Matched matched = null;
        for (int secret = 0; secret < secrets.size(); secret++) { // every secret meets every signature, without an early exit
            byte[] mac = mac(secrets.get(secret), signed.timestamp, body);
            for (int signature = 0; signature < signed.signatures.size(); signature++) {
                boolean equal = MessageDigest.isEqual(mac, signed.signatures.get(signature));
                if (equal && matched == null) matched = new Matched(secret, signature);
            }
        }
        refuse(matched == null, "signature_mismatch");
        if (!(readJson(body) instanceof Map<?, ?> envelope)) throw new Refused("envelope_not_object");
        Event event = provider.eventReader.read(envelope, headers);
        String id = provider.idHeader == null ? null : header(headers, provider.idHeader);
        boolean same = id == null || trim(id).equals(event.id);
        return new Delivery(signed.timestamp, matched, same ? List.of() : List.of("delivery_id_mismatch"), event);
    }

    /** The signature header of a sender (section 10); the time is null where none is signed. */
    public static String sign(Provider provider, byte[] body, List<byte[]> secrets, String timestamp) throws Refused {
        checkSecrets(secrets);
        refuse(!provider.timed && secrets.size() > 1, "secret_invalid");
        refuse(provider.timed && !TIMESTAMP.matcher(timestamp).matches(), "timestamp_malformed");
        StringBuilder header = new StringBuilder(provider.timed ? "t=" + timestamp : "");
        String label = provider.timed ? ",v1=" : "sha256=";
        for (byte[] key : secrets) header.append(label).append(HexFormat.of().formatHex(mac(key, timestamp, body)));
        return header.toString();
    }

    /** HMAC-SHA256 of the body behind the time and a full stop, or of the body alone when the time is null. */
    public static byte[] mac(byte[] key, String timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, "HmacSHA256")); // HMAC fills a key up with zeros anyway
            if (timestamp != null) mac.update((timestamp + ".").getBytes(StandardCharsets.US_ASCII));
            return mac.doFinal(body);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error); // every Java platform has HmacSHA256
        }
    }

    static void refuse(boolean failed, String reason) throws Refused {
        if (failed) throw new Refused(reason);
    }

    private static void checkSecrets(List<byte[]> secrets) throws Refused {
        refuse(secrets.isEmpty() || secrets.stream().anyMatch(key -> key.length == 0), "secret_missing");
    }

    /** The lines of a header joined (D5), null without one. */
    static String header(List<Header> headers, String wanted) {
        List<String> lines = headers.stream().filter(line -> line.name.equalsIgnoreCase(wanted) && line.name.chars().allMatch(c -> c < 128))
            .map(Header::value).toList();
        return lines.isEmpty() ? null : String.join(", ", lines);
    }

    /** Drops spaces and tabs; strip() would drop more. */
    private static String trim(String text) {
        int start = 0, end = text.length();
        while (start < end && " \t".indexOf(text.charAt(start)) >= 0) start++;
        while (start < end && " \t".indexOf(text.charAt(end - 1)) >= 0) end--;
        return text.substring(start, end);
    }

    /** Steps 4 to 10, the grammar of section 3. */
    static Signed readTimed(String value) throws Refused {
        refuse(value.length() > 4096, "header_too_long");
        List<String> times = new ArrayList<>(), texts = new ArrayList<>();
        for (String element : value.split(",")) {
            String[] pair = trim(element).split("=", 2);
            String text = pair.length == 1 ? "" : pair[1];
            if (pair[0].equals("t")) times.add(text);
            if (pair[0].equals("v1") && !text.isEmpty()) texts.add(text);
        }
        refuse(times.isEmpty(), "timestamp_missing");
        refuse(times.size() > 1, "timestamp_duplicate");
        refuse(!TIMESTAMP.matcher(times.get(0)).matches(), "timestamp_malformed");
        refuse(texts.isEmpty(), "signature_missing");
        refuse(texts.size() > 16, "signatures_too_many");
        List<byte[]> signatures = texts.stream().filter(SIGNATURE.asMatchPredicate()).map(HexFormat.of()::parseHex).toList();
        refuse(signatures.isEmpty(), "signature_malformed");
        return new Signed(times.get(0), signatures);
    }

    /** Strict UTF-8, then exactly one JSON value. Bytes given to the parser would be searched for a byte order mark and for UTF-16. */
    private static Object readJson(byte[] body) throws Refused {
        try (JsonParser json = JSON.createParser(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString())) {
            refuse(json.nextToken() == null, "body_not_json");
            Object value = readValue(json);
            refuse(json.nextToken() != null, "body_not_json");
            return value;
        } catch (CharacterCodingException error) {
            throw new Refused("body_not_utf8");
        } catch (IOException error) {
            throw new Refused("body_not_json");
        }
    }

    /** An object is a Map, a string a String, a number the Double next to it; all others are their token. The last of two names wins. */
    private static Object readValue(JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (token == JsonToken.START_ARRAY) json.skipChildren();
        if (token.isNumeric()) return Double.valueOf(json.getText()); // infinite for a number that no double holds
        if (token == JsonToken.VALUE_STRING) return json.getText();
        if (token != JsonToken.START_OBJECT) return token;
        Map<String, Object> members = new HashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            members.put(name, readValue(json));
        }
        return members;
    }

    /** A string that is not blank (section 6). */
    static boolean isText(Object value) {
        return value instanceof String text && !text.chars().allMatch(c -> c >= 9 && c <= 13 || c == ' ' || c == 0xa0);
    }

    private static <T> T field(Map<?, ?> envelope, String name, Class<T> type) throws Refused {
        refuse(!envelope.containsKey(name), "envelope_field_missing");
        refuse(!type.isInstance(envelope.get(name)), "envelope_field_type");
        return type.cast(envelope.get(name));
    }

    static String textField(Map<?, ?> envelope, String name) throws Refused {
        String text = field(envelope, name, String.class);
        refuse(!isText(text), "envelope_field_value");
        return text;
    }

    /** Takes 1.0 and 1e0 as well. */
    private static long integerField(Map<?, ?> envelope, String name, long least) throws Refused {
        double number = field(envelope, name, Double.class);
        refuse(number != Math.rint(number), "envelope_field_type");
        refuse(number < least || number > MAX_SAFE, "envelope_field_value");
        return (long) number;
    }

    /** Step 18 and section 7. */
    private static Event paymosEvent(Map<?, ?> envelope, List<Header> headers) throws Refused {
        String id = textField(envelope, "event_id"), type = textField(envelope, "event_type");
        long version = integerField(envelope, "version", 1), occurredAt = integerField(envelope, "occurred_at", 0);
        Map<?, ?> data = field(envelope, "data", Map.class);
        for (Family family : FAMILIES) {
            if (!type.startsWith(family.prefix)) continue;
            boolean known = family.states.contains(type.substring(family.prefix.length()));
            Resource resource = isText(data.get(family.member)) ? new Resource(family.kind, (String) data.get(family.member)) : null;
            return new Event(id, type, null, known, version, occurredAt, resource);
        }
        return new Event(id, type, null, false, version, occurredAt, null);
    }
}
