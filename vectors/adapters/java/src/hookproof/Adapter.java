package hookproof;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The protocol loop: one JSON line in, one JSON line out. It turns messages into calls of the verifier and judges nothing itself. */
final class Adapter {
    /** Lines have up to 32 MiB. Numbers of an event are written as text, and lone surrogates as escapes. */
    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII)
        .streamReadConstraints(StreamReadConstraints.builder().maxStringLength(32 << 20).build()).build())
        .serializationInclusion(JsonInclude.Include.NON_NULL)
        .addModule(new SimpleModule().addSerializer(Long.class, ToStringSerializer.instance)).build();

    private static final Map<String, Hookproof.Provider> PROVIDERS =
        Map.of("paymos", Hookproof.PAYMOS, "stripe", Providers.STRIPE, "github", Providers.GITHUB);

    private static final Map<String, Object> HELLO = Map.of(
        "implementation", Map.of("name", "hookproof-java", "version", "1.0.0", "language", "java", "runtime", Runtime.version().toString()),
        "profiles", PROVIDERS.keySet(),
        "ops", List.of("verify", "sign", "mac"),
        "capabilities", List.of("sign", "mac", "tolerance", "multi-secret", "secret-bytes", "header-lines", "header-bytes", "raw-body",
            "limits", "timestamp-text", "envelope", "matched"),
        "choices", Map.of("HexCase", "valid", "IntegralFloat", "valid", "LargeVersion", "valid", "DuplicateJsonKey", "valid",
            "DeepNesting", "valid"));

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode message = JSON.readTree(line);
            if (message.path("cmd").asText().equals("bye")) return;
            Map<String, Object> reply = new HashMap<>(answer(message));
            reply.put("p", message.path("p"));
            reply.put("seq", message.path("seq"));
            out.println(JSON.writeValueAsString(reply));
        }
    }

    private static Map<String, Object> answer(JsonNode message) {
        try {
            return switch (message.path("cmd").asText()) {
                case "hello" -> HELLO;
                case "run" -> Map.of("result", "valid", "output", run(message, message.path("input")));
                default -> throw new IllegalArgumentException("unknown cmd");
            };
        } catch (Hookproof.Refused refused) {
            return Map.of("result", "invalid", "reason", refused.getMessage());
        } catch (IOException | RuntimeException error) {
            return Map.of("error", Map.of("message", error.toString()));
        }
    }

    private static Object run(JsonNode message, JsonNode input) throws IOException, Hookproof.Refused {
        String op = message.path("op").asText();
        if (op.equals("mac")) {
            return Map.of("mac", HexFormat.of().formatHex(Hookproof.mac(bytes(input.get("key")), null, bytes(input.get("message")))));
        }
        Hookproof.Provider provider = PROVIDERS.get(message.path("profile").asText());
        List<byte[]> secrets = new ArrayList<>();
        for (JsonNode secret : input.get("secrets")) secrets.add(bytes(secret));
        byte[] body = bytes(input.get("body"));
        if (op.equals("sign")) return Map.of("header", Hookproof.sign(provider, body, secrets, input.path("timestamp").textValue()));
        List<Hookproof.Header> headers = new ArrayList<>();
        for (JsonNode line : input.get("headers")) {
            headers.add(new Hookproof.Header(line.get(0).textValue(), new String(bytes(line.get(1)), StandardCharsets.ISO_8859_1)));
        }
        long now = new BigDecimal(input.get("now").textValue()).setScale(0, RoundingMode.FLOOR).longValueExact();
        Long tolerance = input.get("tolerance").isNull() ? null : (Long) input.get("tolerance").longValue();
        int maxBody = input.path("limits").path("maxBodyBytes").asInt(Hookproof.MAX_BODY);
        return Hookproof.verify(provider, headers, body, secrets, now, tolerance, maxBody);
    }

    private static byte[] bytes(JsonNode base64) throws IOException {
        return base64.isNull() ? new byte[0] : base64.binaryValue();
    }
}
