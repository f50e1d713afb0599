"""What the made-up files talk about."""

ITEMS = (
    "Classic Burger", "Double Burger", "Bacon Burger", "Veggie Burger", "Chicken Burger", "Fish Burger", "Kids Burger",
    "Burger Combo", "Chicken Combo", "Family Box", "Fries", "Sweet Potato Fries", "Onion Rings", "Coleslaw",
    "Garden Salad", "Cola", "Lemonade", "Iced Tea", "Cold Brew", "Vanilla Shake", "Chocolate Shake", "Apple Pie",
    "Brownie", "Cookie", "Hash Browns", "Breakfast Wrap", "Pancakes", "Chili Bowl", "Corn Dog", "Nacho Box",
)  # fmt: skip
MODIFIERS = (
    "Extra Cheese", "Bacon", "Grilled Onions", "Jalapeños", "Avocado", "No Pickles", "No Mayo", "Large Size",
    "Light Ice", "Whipped Cream", "Caramel", "Ranch", "Barbecue Sauce", "Honey Mustard",
)  # fmt: skip
MODIFIER_GROUPS = ("Extras", "Sauces", "Sizes", "Toppings", "Ice", "Hold")
DAYPARTS = ("breakfast", "lunch", "afternoon", "dinner", "late-night")
CHANNELS = ("DRIVE_THRU", "KIOSK", "PHONE", "APP")
ORDER_TYPES = ("PICKUP", "DINE_IN", "DELIVERY")
LANGUAGES = ("en-US", "en-GB", "en-CA", "es-US", "es-419", "fr-CA", "fr", "de", "pt-BR", "it", "pl", "ja", "zh-Hans")
PHRASES = {
    "en": (
        *("Would you like {} with that?", "Can I add {} today? 🍔"),
        *("How about {}? It is fresh.", "Our {} just came out!"),
    ),
    "es": ("¿Le agrego {}?", "¿Quiere probar {} hoy? 🍟", "Nuestro {} acaba de salir, ¿le gustaría?"),
    "fr": ("Voulez-vous ajouter {} ?", "Un {} avec ça? 🥤", "Notre {} sort du four, ça vous tente?"),
    "de": ("Darf es noch {} sein?", "Möchten Sie {} dazu? 🍔"),
    "pt": ("Posso incluir {}?", "Que tal {} hoje? 🍟"),
    "it": ("Vuole aggiungere {}?", "Le va {} oggi?"),
    "pl": ("Czy podać do tego {}?", "Może jeszcze {}?"),
    "ja": ("{}もいかがですか？", "ご一緒に{}はいかがでしょうか。🍟"),
    "zh": ("要不要加一份{}？", "今天的{}刚刚出炉，来一份吗？"),
}
WELCOMES = {
    "en": ("Welcome! What can I get you?", "Hi there 👋 ready when you are.", "Hey, thanks for stopping by!"),
    "es": ("¡Bienvenidos! ¿Qué les sirvo?", "¡Hola! 👋 ¿Qué va a llevar hoy?"),
    "fr": ("Bonjour et bienvenue!", "Bonjour! Que puis-je vous servir? 🍔"),
    "de": ("Willkommen! Was darf es sein?", "Hallo 👋 schön, dass Sie da sind."),
    "pt": ("Bem-vindo! O que vai querer?",),
    "it": ("Benvenuto! Cosa le porto?",),
    "pl": ("Dzień dobry, co podać?",),
    "ja": ("いらっしゃいませ！ご注文をどうぞ。",),
    "zh": ("欢迎光临！请问要点什么？",),
}
SENTENCES = (
    "Keep it short, guests are hungry.", "Never guess about allergens: read the line of the item.",
    "Offer the large size only once.", "If a guest asks for a manager, say that one is on the way.",
    "Do not mention prices that the register has not confirmed.", "Repeat the order before you close it.",
    "A box serves four to five people, a tray serves ten.", "Round up, never down.",
    "Suggest water when somebody orders something very spicy.", "Ask for vegetarians before you suggest a box.",
    "Use the name of the guest once, not more.", "Say sorry once, then solve it.",
)  # fmt: skip
COMMENTS = (
    "keep in step with the register", "reviewed by the menu team", "see the runbook before you change this",
    "A/B test until the end of the quarter", "copied from the pilot store", "analytics keys on this name",
    "do not reorder", "was 3 until October", "ask operations first", "temporary, remove after the launch",
    "same as in the other region", "numbers from the kitchen, August", "the app shows this too",
)  # fmt: skip
TEAMS = ("search", "growth", "loyalty", "kitchen", "fraud", "ads", "pricing", "catalog", "delivery", "planning")
LABELS = (
    "team", "stage", "cost-center", "tier", "owner", "service", "region", "domain", "retention", "model", "source",
    "schedule", "pager", "compliance", "quarter", "product", "release", "pipeline", "sla", "contact", "layer", "origin",
    "audience", "budget", "review", "window", "track", "family", "zone", "unit",
)  # fmt: skip
ENTITIES = ("user", "store", "order", "product", "session", "device", "driver", "campaign", "route", "supplier")
FEATURES = (
    "count_1d", "count_7d", "count_30d", "spend_30d", "average_ticket", "last_seen", "click_rate", "return_rate",
    "favorite_item", "age_days", "distance_km", "rating", "score", "segment", "country", "is_active", "churn_risk",
    "basket_value", "wait_seconds", "queue_length", "stock_level", "price_index", "discount_rate", "lifetime_value",
)  # fmt: skip
STILL_ZONES = ("Asia/Tokyo", "Asia/Kolkata", "America/Phoenix", "America/Bogota", "Asia/Singapore", "Etc/UTC")
MOVING_ZONES = (
    "America/New_York", "America/Chicago", "America/Los_Angeles", "Europe/Berlin", "Europe/Paris", "Europe/London",
    "America/Toronto", "Australia/Sydney",
)  # fmt: skip
